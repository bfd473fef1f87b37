// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What was said about decryption, on the command line or in a section of the configuration, before it is known to
/// make sense.
struct CipherChoices: Hashable, Sendable {
    /// The names, as options and as keys.
    enum Key: String, CaseIterable, Hashable, Sendable {
        case scheme = "decrypt"
        case keyFile = "key-file"
        case keyVariable = "key-env"
        case initialVector = "iv"
        case counter
        case plainHeader = "plain-header"
        case padding
        case derivation = "kdf"
        case keyBits = "key-bits"
    }

    var scheme: CipherScheme?
    var keyFile: String?
    var keyVariable: String?
    var initialVector: InitialVectorOption?
    var counter: UInt64?
    var plainHeader: ByteSize?
    var padding: PaddingOption?
    var derivation: KeyDerivationOption?
    var keyBits: KeyBits?

    /// Whether something was said under a name.
    func has(_ key: Key) -> Bool {
        switch key {
        case .scheme: self.scheme != nil
        case .keyFile: self.keyFile != nil
        case .keyVariable: self.keyVariable != nil
        case .initialVector: self.initialVector != nil
        case .counter: self.counter != nil
        case .plainHeader: self.plainHeader != nil
        case .padding: self.padding != nil
        case .derivation: self.derivation != nil
        case .keyBits: self.keyBits != nil
        }
    }
}
