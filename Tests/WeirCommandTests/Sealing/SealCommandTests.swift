// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import WeirCommand

@Suite("weir seal")
struct SealCommandTests {
    private static let digits = "000102030405060708090a0b0c0d0e0f"

    private static func parse(_ words: String) throws -> SealCommand {
        try SealCommand.parse(words.split(separator: " ").map(String.init))
    }

    private static func failure(_ words: String) -> String? {
        do {
            _ = try self.parse(words)
            return nil
        } catch {
            return SealCommand.message(for: error)
        }
    }

    @Test(
        "refuses contradicting options",
        arguments: [
            ("f --key-file k --key-env K", "exclude each other"),
            ("f --key-env a-b", "never the key itself"),
            ("f --recipient age1x --key-file k", "replaces a key"),
            ("f --for aes-ctr --recipient age1x", "--recipient is for age"),
            ("f --key-file k --iv \(digits)", "--iv does not apply to age"),
            ("f --key-file k --counter 1", "--counter does not apply to age"),
            ("f --for aes-cbc --key-file k --counter 1", "does not apply to aes-cbc"),
            ("f --for aes-cbc --key-file k --iv 0011223344556677", "--iv must be 16 bytes"),
            ("f --for aes-ctr --key-file k --iv 00", "--iv must be 8 to 16 bytes"),
            ("f --for aes-ctr --key-file k --iv prefix", "is the default"),
            ("f --for aes-ecb --key-file k", "aes-ecb"),
            ("- --key-file k --json", "--json"), ("f -o - --key-file k --json", "--json"),
            ("", "file"),
        ]
    )
    func refused(_ words: String, _ part: String) {
        let message = Self.failure(words)
        #expect(message?.contains(part) == true, "\(message ?? "no error")")
    }

    @Test("takes its key from the command line, then from variables")
    func keys() throws {
        let none = ProgramEnvironment([:])
        let file = ProgramEnvironment(["WEIR_KEY_FILE": "w", "WEIR_IV": "zz"])
        let variable = ProgramEnvironment(["WEIR_KEY_ENV": "W"])
        let both = ProgramEnvironment(["WEIR_KEY_FILE": "w", "WEIR_KEY_ENV": "W"])
        #expect(try Self.parse("f --key-file k").key(file) == .stored(.file("k")))
        #expect(try Self.parse("f --key-env K").key(both) == .stored(.environment("K")))
        #expect(
            try Self.parse("f --recipient age1x --recipient age1y").key(both)
                == .recipients(["age1x", "age1y"])
        )
        #expect(try Self.parse("f").key(file) == .stored(.file("w")))
        #expect(try Self.parse("f --for aes-ctr").key(variable) == .stored(.environment("W")))
        for environment in [none, both] {
            #expect(throws: ValidationError.self) { try Self.parse("f").key(environment) }
        }
    }

    @Test(
        "says how to play the new file",
        arguments: [
            ("f --key-file film.key", "--decrypt age --key-file film.key"),
            ("f --recipient age1x", "--decrypt age --key-file IDENTITY"),
            ("f --for aes-cbc --key-env KEY", "--decrypt aes-cbc --key-env KEY"),
            (
                "f --for aes-ctr --key-file a'b --iv \(digits) --counter 5",
                "--decrypt aes-ctr --key-file 'a'\\''b' --iv \(digits) --counter 5"
            ),
        ]
    )
    func playing(_ words: String, _ options: String) throws {
        let command = try Self.parse(words)
        let key = try command.key(ProgramEnvironment([:]))
        #expect(command.playing(key) == "weir exec URL \(options) -- mpv {}")
    }

    @Test("adds an ending to the file's name, and writes to a pipe from a pipe")
    func targets() {
        func path(_ path: String?, _ input: String, _ scheme: SealScheme) -> String {
            OutputTarget(option: path, sealing: input, as: scheme).path
        }
        #expect(path(nil, "a/film.mp4", .age) == "a/film.mp4.age")
        #expect(path(nil, "film.mp4", .aesCTR) == "film.mp4.aes")
        #expect(path(nil, "film.mp4", .aesCBC) == "film.mp4.aes")
        #expect(path(nil, "-", .age) == "-")
        #expect(path("x", "-", .age) == "x")
        #expect(path("-", "film.mp4", .age) == "-")
    }
}
