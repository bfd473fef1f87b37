// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher

/// The unchecked choices about decryption, from the command line or a section of the configuration.
struct CipherChoices: Hashable, Sendable {
    /// The names of the options and of the keys in the configuration.
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
    var initialVector: InitialVector?
    var counter: UInt64?
    var plainHeader: ByteSize?
    var padding: AESFormat.Padding?
    var derivation: KeyDerivation?
    var keyBits: KeyBits?

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

extension CipherChoices {
    /// The settings that result from the choices; `nil` without a choice.
    ///
    /// - Throws: ``CipherConflict`` about the first choice that does not fit.
    func settings(_ dialect: CipherDialect) throws(CipherConflict) -> CipherSettings? {
        guard let scheme else {
            guard let stray = Key.allCases.first(where: self.has) else { return nil }
            throw CipherConflict(
                stray,
                "needs \(dialect.name(.scheme)); name the format with it, one of \(CipherScheme.list)."
            )
        }
        let key = try self.keyLocation(dialect)
        try self.check(scheme, dialect)
        guard let mode = scheme.mode else { return CipherSettings(key: key, format: .age) }
        let vector: InitialVector =
            self.derivation == nil ? self.initialVector ?? .prefix : .fromKey
        let format = AESFormat(
            mode,
            initialVector: vector,
            initialCounter: self.counter ?? 0,
            padding: self.padding ?? .pkcs7,
            plainHeaderLength: self.plainHeader?.bytes ?? 0
        )
        guard let derivation else { return CipherSettings(key: key, format: .aes(format)) }
        let length = (self.keyBits ?? .bits256).bytes
        return CipherSettings(key: key, format: .openssl(format, derivation, keyLength: length))
    }

    /// The location of the key; the choices must name exactly one.
    private func keyLocation(_ dialect: CipherDialect) throws(CipherConflict) -> KeyLocation {
        switch (self.keyFile, self.keyVariable) {
        case (let file?, nil): return .file(file)
        case (nil, let name?):
            guard KeyLocation.isVariable(name) else {
                throw CipherConflict(
                    .keyVariable,
                    "must be the name of a variable that holds the key, and never the key itself."
                )
            }
            return .environment(name)
        case (nil, nil):
            let file = dialect.example(.keyFile, "FILE")
            let variable = dialect.example(.keyVariable, "VARIABLE")
            throw CipherConflict(.scheme, "needs a key; add \(file) or \(variable).")
        case (_?, _?):
            throw CipherConflict(
                .keyVariable,
                "contradicts \(dialect.name(.keyFile)); leave one of them out."
            )
        }
    }

    private func check(_ scheme: CipherScheme, _ dialect: CipherDialect) throws(CipherConflict) {
        let always: [Key] = [.scheme, .keyFile, .keyVariable]
        for key in Key.allCases
        where self.has(key) && !always.contains(key) && !scheme.choices.contains(key) {
            throw CipherConflict(key, "does not apply to \(scheme.rawValue); leave it out.")
        }
        if self.derivation != nil, self.initialVector != nil {
            throw CipherConflict(
                .initialVector,
                "contradicts \(dialect.name(.derivation)), since the vector comes from the passphrase; leave one of"
                    + " them out."
            )
        }
        if self.keyBits != nil, self.derivation == nil {
            throw CipherConflict(
                .keyBits,
                "needs \(dialect.name(.derivation)), since any other key has its own length; leave it out."
            )
        }
        if self.initialVector?.fits(scheme) == false {
            throw CipherConflict(.initialVector, "must be \(Self.vectorSizes(scheme)), or prefix.")
        }
    }

    /// The sizes of a vector, as a text for a sentence.
    static func vectorSizes(_ scheme: CipherScheme) -> String {
        scheme == .aesCTR
            ? "8 to 16 bytes, 16 to 32 hexadecimal digits" : "16 bytes, 32 hexadecimal digits"
    }
}

/// A choice about decryption that contradicts another, or needs another.
struct CipherConflict: Error, Hashable {
    let key: CipherChoices.Key
    /// The rest of the sentence after the choice's name, with its full stop; quotes no value.
    let what: String

    init(_ key: CipherChoices.Key, _ what: String) {
        self.key = key
        self.what = what
    }
}

/// The notation of choices about decryption.
enum CipherDialect: Sendable {
    /// As options of the command line.
    case options
    /// As keys of the configuration.
    case configuration

    func name(_ key: CipherChoices.Key) -> String {
        switch self {
        case .options: "--\(key.rawValue)"
        case .configuration: key.rawValue
        }
    }

    /// A key with a value, as the user types it.
    func example(_ key: CipherChoices.Key, _ value: String) -> String {
        switch self {
        case .options: "--\(key.rawValue) \(value)"
        case .configuration: "\(key.rawValue) = \"\(value)\""
        }
    }
}
