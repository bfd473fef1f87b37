// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// The decryption options for the media on the command line.
struct CipherOptions: ParsableArguments {
    @Option(name: .customLong("decrypt"), help: .value("format", "How the files are encrypted."))
    var scheme: CipherScheme?

    @Option(
        name: .customLong("key-file"),
        help: .value(
            "file",
            "The file with the key: bytes, hexadecimal or Base64; for age, identities or a passphrase."
        ),
        completion: .file()
    )
    var keyFile: String?

    @Option(
        name: .customLong("key-env"),
        help: .value("variable", "The environment variable with the key.")
    )
    var keyVariable: String?

    @Option(
        name: .customLong("iv"),
        help: .value(
            "hex",
            "The initialization vector in hexadecimal, or prefix: the file's first 16 bytes. (default: prefix)"
        )
    )
    var initialVector: InitialVector?

    @Option(
        help: .value(
            "number",
            "The number to add to the vector of aes-ctr for the first block. (default: 0)"
        )
    )
    var counter: UInt64?

    @Option(
        name: .customLong("plain-header"),
        help: .value("size", "The size of the unencrypted start of the file. (default: 0)"),
        transform: ByteSize.read
    )
    var plainHeader: ByteSize?

    @Option(
        help: .value("kind", "How aes-cbc and aes-ecb pad the last block. (default: pkcs7)")
    )
    var padding: AESFormat.Padding?

    @Option(
        name: .customLong("kdf"),
        help: ArgumentHelp(
            """
            The key is a passphrase, and openssl enc wrote the files. The value is pbkdf2 or bytes-to-key, followed by \
            :ITERATIONS and :DIGEST if they are not 10000 and sha256. DIGEST is the value of -md: md5 (default before \
            OpenSSL 1.1.0), sha1, sha256, sha384 or sha512.
            """,
            valueName: "name"
        )
    )
    var derivation: KeyDerivation?

    @Option(
        name: .customLong("key-bits"),
        help: .value("number", "The length of the key of --kdf in bits. (default: 256)")
    )
    var keyBits: KeyBits?

    /// Reads the key and returns the decryption, if the options ask for one.
    ///
    /// - Throws: `ValidationError`, ``CommandError``, `CipherError`.
    func decryption(_ environment: ProgramEnvironment, _ keys: KeyReader) throws -> Decryption? {
        try self.settings(environment)?.decryption(keys)
    }

    /// The settings from the command line and the variables.
    ///
    /// - Throws: `ValidationError` for contradicting options, which names them as the user wrote them.
    func settings(_ environment: ProgramEnvironment) throws -> CipherSettings? {
        let choices = try self.choices(environment)
        do throws(CipherConflict) {
            return try choices.settings(.options)
        } catch {
            let name =
                self.written.has(error.key)
                ? CipherDialect.options.name(error.key) : Self.variable(error.key)
            throw ValidationError("\(name) \(error.what)")
        }
    }

    private var written: CipherChoices {
        CipherChoices(
            scheme: self.scheme,
            keyFile: self.keyFile,
            keyVariable: self.keyVariable,
            initialVector: self.initialVector,
            counter: self.counter,
            plainHeader: self.plainHeader,
            padding: self.padding,
            derivation: self.derivation,
            keyBits: self.keyBits
        )
    }

    /// The choices of the command line, completed from the variables.
    ///
    /// The variables count only with a format, from `--decrypt` or `WEIR_DECRYPT`. Variables for details of a
    /// format do not count if the command line names another format than `WEIR_DECRYPT`.
    private func choices(_ environment: ProgramEnvironment) throws -> CipherChoices {
        var choices = self.written
        let variable = environment[Self.variable(.scheme)]
        guard
            let scheme = try choices.scheme
                ?? environment.value(Self.variable(.scheme))
        else { return choices }
        choices.scheme = scheme
        if choices.keyFile == nil, choices.keyVariable == nil {
            choices.keyFile = environment[Self.variable(.keyFile)]
            choices.keyVariable = environment[Self.variable(.keyVariable)]
        }
        guard variable == nil || variable == scheme.rawValue else { return choices }
        func fill<Value: ExpressibleByArgument>(
            _ value: inout Value?,
            _ key: CipherChoices.Key
        ) throws {
            value = try value ?? environment.value(Self.variable(key))
        }
        try fill(&choices.initialVector, .initialVector)
        try fill(&choices.counter, .counter)
        try fill(&choices.plainHeader, .plainHeader)
        try fill(&choices.padding, .padding)
        try fill(&choices.derivation, .derivation)
        try fill(&choices.keyBits, .keyBits)
        return choices
    }

    /// The variable that replaces an option.
    static func variable(_ key: CipherChoices.Key) -> String {
        "WEIR_\(key.rawValue.uppercased().replacing("-", with: "_"))"
    }
}
