// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How media are decrypted: the format, and where the key comes from.
///
/// Make it once for all media that it applies to.
public struct Decryption: Sendable {
    enum Scheme: Sendable {
        case aes(AESFormat, AESKeySource)
        case age(AgeKeySource)
        case format(any CipherFormat)
    }

    let scheme: Scheme
    /// Tells one decryption from another: copies are the same, two that were made of the same key are not.
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

    /// Whether every byte is checked before it is handed on, so that a wrong key cannot go unnoticed.
    public var isAuthenticated: Bool {
        switch self.scheme {
        case .aes: false
        case .age: true
        case .format(let format): format.isAuthenticated
        }
    }

    /// AES in one of its plain modes: what stands in many players and servers, and authenticates nothing.
    ///
    /// - Throws: ``CipherError`` with `invalidSettings` for a vector of more than 16 bytes, or of fewer in CBC; for a
    ///   vector that is to come with a key that brings none; for a negative header.
    public static func aes(_ format: AESFormat, key: AESKeySource) throws(CipherError) -> Decryption
    {
        try format.check(with: key)
        return Decryption(.aes(format, key))
    }

    /// age v1: the format to choose where there is a choice, since a byte that was changed is never played.
    public static func age(_ keys: AgeKeySource) -> Decryption {
        Decryption(.age(keys))
    }

    /// age v1, opened by identities, each tried in its turn.
    ///
    /// - Parameter identities: one or more.
    /// - Returns: the decryption.
    public static func age(_ identities: AgeIdentity...) -> Decryption {
        .age(.identities(identities))
    }

    /// age v1, opened by identities, each tried in its turn.
    ///
    /// - Parameter identities: one or more, as ``AgeIdentity/parseFile(_:)`` gives them.
    /// - Returns: the decryption.
    public static func age(_ identities: [AgeIdentity]) -> Decryption {
        .age(.identities(identities))
    }

    /// A format of the application's own.
    ///
    /// - Parameter format: opens files and decrypts their units.
    /// - Returns: the decryption.
    public static func format(_ format: some CipherFormat) -> Decryption {
        Decryption(.format(format))
    }
}
