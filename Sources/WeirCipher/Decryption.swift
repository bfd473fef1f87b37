// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How media are decrypted: the format, and the source of the key.
///
/// Create it once for all media that it applies to.
public struct Decryption: Sendable {
    enum Scheme: Sendable {
        case aes(AESFormat, AESKeySource)
        case age(AgeKeySource)
        case format(any CipherFormat)
    }

    let scheme: Scheme
    /// Distinguishes decryptions: copies are equal, but two decryptions created from the same key are not.
    package let identity: Identity

    /// The identity of a decryption; compared by reference.
    package final class Identity: Sendable, Hashable {
        package static func == (one: Identity, other: Identity) -> Bool { one === other }
        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private init(_ scheme: Scheme) {
        self.scheme = scheme
        self.identity = Identity()
    }

    /// Whether every byte is checked before a reader gets it, so that a wrong key is always detected.
    public var isAuthenticated: Bool {
        switch self.scheme {
        case .aes: false
        case .age: true
        case .format(let format): format.isAuthenticated
        }
    }

    /// AES in one of its basic modes, which many players and servers support; it authenticates nothing.
    ///
    /// - Throws: ``CipherError`` with `invalidSettings` for inconsistent settings, such as a vector of a wrong
    ///   length, a key without the vector that should come with it, or a negative header.
    public static func aes(_ format: AESFormat, key: AESKeySource) throws(CipherError) -> Decryption
    {
        try format.check(with: key)
        return Decryption(.aes(format, key))
    }

    /// age v1, the recommended format: a changed byte is never played.
    public static func age(_ keys: AgeKeySource) -> Decryption {
        Decryption(.age(keys))
    }

    /// age v1, opened by identities, which are tried in order.
    ///
    /// - Parameter identities: one or more.
    /// - Returns: the decryption.
    public static func age(_ identities: AgeIdentity...) -> Decryption {
        .age(.identities(identities))
    }

    /// age v1, opened by identities, which are tried in order.
    ///
    /// - Parameter identities: one or more, for example from ``AgeIdentity/parseFile(_:)``.
    /// - Returns: the decryption.
    public static func age(_ identities: [AgeIdentity]) -> Decryption {
        .age(.identities(identities))
    }

    /// The application's own format.
    ///
    /// - Parameter format: opens files and decrypts their units.
    /// - Returns: the decryption.
    public static func format(_ format: some CipherFormat) -> Decryption {
        Decryption(.format(format))
    }
}
