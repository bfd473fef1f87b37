// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirCipher

struct SealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Encrypt a file for publishing; --decrypt plays it.",
        discussion: """
            Use age unless a server or a player requires another format: with age, Weir detects changed bytes and does \
            not play them. age needs an identity file (Weir encrypts for its public keys), public keys with \
            --recipient, or a file with a passphrase on its first line. AES needs a key of 16, 24 or 32 bytes, and \
            does not detect changed bytes. The sealed file appears under its name when it is complete. Without \
            --force, the command replaces no file and follows no link.

            KEYS
              age-keygen -o film.key            an identity, for age
              openssl rand -hex 32 > song.key   a key, for aes-ctr and aes-cbc
              chmod 600 film.key song.key

            EXAMPLES
              weir seal film.mp4 --key-file film.key
              weir seal song.mp3 --for aes-ctr --key-file song.key -o /srv/www/song.mp3.aes
            """
    )

    @Argument(help: .value("file", "The file; - is standard input."))
    var file: String

    @Option(
        name: .shortAndLong,
        help: .value(
            "file",
            "The sealed file; - is standard output. (default: the file's name with .age or .aes)"
        )
    )
    var output: String?

    @Option(name: .customLong("for"), help: .value("format", "The format to write."))
    var scheme = SealScheme.age

    @Option(
        name: .customLong("key-file"),
        help: .value(
            "file",
            "The file with the key: bytes, hexadecimal or Base64; for age, identities or a passphrase."
        )
    )
    var keyFile: String?

    @Option(
        name: .customLong("key-env"),
        help: .value("variable", "The environment variable with the key.")
    )
    var keyVariable: String?

    @Option(
        name: .customLong("recipient"),
        help: .value(
            "age1…",
            "A public key that may open the file, instead of a key; only for age, repeatable."
        )
    )
    var recipients: [String] = []

    @Option(
        name: .customLong("iv"),
        help: ArgumentHelp(
            """
            The initialization vector of AES; never use it twice with one key. (default: a random one, stored before \
            the content)
            """,
            valueName: "hex"
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

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup(title: "Output") var speech: SpeechOptions

    func validate() throws {
        guard self.keyFile == nil || self.keyVariable == nil else {
            throw ValidationError("--key-file and --key-env exclude each other; leave one out.")
        }
        if let keyVariable, !KeyLocation.isVariable(keyVariable) {
            throw ValidationError(
                "--key-env must be the name of a variable that holds the key, and never the key itself."
            )
        }
        try self.validateRecipients()
        try self.validateVector()
        guard !(self.speech.json && self.target == .standardOutput) else {
            throw ValidationError(
                "--json and the sealed bytes would both go to standard output; leave --json out, or name a file with -o."
            )
        }
    }

    private func validateRecipients() throws {
        guard !self.recipients.isEmpty else { return }
        guard self.scheme == .age else {
            throw ValidationError(
                "--recipient is for age; \(self.scheme.rawValue) needs --key-file or --key-env."
            )
        }
        guard self.keyFile == nil, self.keyVariable == nil else {
            throw ValidationError(
                "--recipient replaces a key; leave --key-file and --key-env out."
            )
        }
    }

    private func validateVector() throws {
        if self.counter != nil, self.scheme != .aesCTR {
            throw ValidationError(
                "--counter does not apply to \(self.scheme.rawValue); leave it out."
            )
        }
        guard let initialVector else { return }
        guard self.scheme != .age else {
            throw ValidationError("--iv does not apply to age; leave it out.")
        }
        guard initialVector.givenBytes != nil else {
            throw ValidationError("--iv prefix is the default; leave it out.")
        }
        guard initialVector.fits(self.scheme.cipher) else {
            throw ValidationError(
                "--iv must be \(CipherChoices.vectorSizes(self.scheme.cipher)); without --iv, weir makes a random one."
            )
        }
    }

    func run() async throws {
        let environment = ProgramEnvironment()
        let key = try self.key(environment)
        let input = try SealInput(path: self.file)
        let target = self.target
        try target.check(sealing: input, isForced: self.force)
        let sealing = try key.sealing(
            self.scheme,
            vector: self.initialVector?.givenBytes,
            counter: self.counter ?? 0,
            KeyReader(environment, warn: self.speech.warn)
        )
        let command = self
        do {
            let result = try await Signals().interruptible {
                try command.seal(input, sealing)
            }
            if !self.speech.quiet { Output.note("To play it: \(self.playing(key))") }
            if self.speech.json { try Output.json(result) }
        } catch is CancellationError {
            throw CommandError.interrupted("Interrupted; \(target.path) was not written.")
        }
    }

    private var target: OutputTarget {
        OutputTarget(option: self.output, sealing: self.file, as: self.scheme)
    }

    /// The key for sealing, from the command line or from variables.
    ///
    /// - Throws: `ValidationError` if neither gives a key.
    func key(_ environment: ProgramEnvironment) throws -> SealKey {
        if !self.recipients.isEmpty { return .recipients(self.recipients) }
        if let keyFile { return .stored(.file(keyFile)) }
        if let keyVariable { return .stored(.environment(keyVariable)) }
        let file = environment[CipherOptions.variable(.keyFile)]
        let variable = environment[CipherOptions.variable(.keyVariable)]
        switch (file, variable) {
        case (let file?, nil): return .stored(.file(file))
        case (nil, let name?) where KeyLocation.isVariable(name): return .stored(.environment(name))
        case (_?, _?):
            throw ValidationError("WEIR_KEY_FILE and WEIR_KEY_ENV exclude each other; unset one.")
        default:
            throw ValidationError(
                self.scheme == .age
                    ? "A recipient is needed; add --key-file FILE, --key-env VARIABLE or --recipient age1…."
                    : "A key is needed; add --key-file FILE or --key-env VARIABLE."
            )
        }
    }

    func playing(_ key: SealKey) -> String {
        var words = ["weir exec URL --decrypt \(self.scheme.rawValue)", key.playing]
        if let bytes = self.initialVector?.givenBytes {
            words.append("--iv \(PacketLine.hexadecimal(bytes))")
        }
        if let counter, counter != 0 { words.append("--counter \(counter)") }
        words.append("-- mpv {}")
        return words.joined(separator: " ")
    }

    private func seal(_ input: SealInput, _ sealing: Sealing) throws -> JSON {
        let file = try DownloadFile(self.target, isForced: self.force)
        var meter = ProgressMeter(label: self.target.path, total: input.size)
        let sealed: (head: [UInt8], readCount: Int64, writtenCount: Int64)
        do {
            sealed = try file.seal(input, sealing) { done in
                if !self.speech.quiet { meter.show(done) }
            }
            try file.finish()
        } catch {
            file.discard()
            if error is ReaderHasLeft { meter.clear() }
            throw error
        }
        if !self.speech.quiet { meter.finish(sealed.readCount) }
        let vector = self.scheme == .age ? nil : self.initialVector?.givenBytes ?? sealed.head
        return [
            "event": "sealed", "file": self.target.path, "bytes": sealed.writtenCount,
            "scheme": self.scheme.rawValue,
            "iv": vector.map(PacketLine.hexadecimal),
        ]
    }
}
