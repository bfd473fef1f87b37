// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Synchronization
import Testing
import WeirCipher
import WeirTestKit

@testable import WeirCommand

@Suite("Reading keys")
struct KeyReaderTests {
    private let folder = TemporaryDirectory()

    /// The warnings of a key reader.
    private final class Warnings: Sendable {
        private let list = Mutex<[String]>([])

        func add(_ text: String) { self.list.withLock { $0.append(text) } }

        var all: [String] { self.list.withLock { $0 } }
    }

    private func write(_ bytes: [UInt8], _ name: String, mode: Int = 0o600) throws -> String {
        let path = self.folder.path(of: name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private static func reader(
        _ warnings: Warnings = Warnings(),
        _ environment: [String: String] = [:]
    ) -> KeyReader {
        KeyReader(ProgramEnvironment(environment)) { warnings.add($0) }
    }

    @Test("a file and a variable give their content")
    func locations() throws {
        let warnings = Warnings()
        let path = try self.write(Array(0..<32), "raw.key")
        let reader = Self.reader(warnings, ["KEY": "00112233445566778899aabbccddeeff"])
        #expect(try reader.text(.file(path)).bytes.withUnsafeBytes(Array.init) == Array(0..<32))
        #expect(try reader.text(.environment("KEY")).key().count == 16)
        #expect(warnings.all.isEmpty)
    }

    @Test(
        "a file that others can read causes one warning",
        arguments: [0o644, 0o640, 0o604, 0o620]
    )
    func warning(_ mode: Int) throws {
        let warnings = Warnings()
        let path = try self.write(Array(0..<16), "my key", mode: mode)
        let reader = Self.reader(warnings)
        for _ in 0..<3 { _ = try reader.text(.file(path)) }
        #expect(warnings.all.count == 1)
        #expect(warnings.all.first?.contains("chmod 600 '\(path)'") == true)
    }

    @Test(
        "an unreadable file is not found, an unusable file is wrong usage, and the error says why"
    )
    func unreadable() throws {
        let reader = Self.reader()
        let missing = self.folder.path(of: "none.key")
        let empty = try self.write([], "empty.key")
        let long = try self.write([UInt8](repeating: 0x41, count: 64_001), "long.key")
        for (path, part) in [
            (missing, "cannot be read"), (self.folder.path, "is a folder"), (empty, "is empty"),
            (long, "more than 64 kB"),
        ] {
            let error = #expect(throws: CommandError.self) { try reader.text(.file(path)) }
            #expect(error?.status == (path == missing ? .notFound : .usage))
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains(part) == true)
        }
        let longest = try self.write([UInt8](repeating: 0x41, count: 64_000), "longest.key")
        #expect(try reader.text(.file(longest)).bytes.count == 64_000)
        let unset = #expect(throws: CommandError.self) { try reader.text(.environment("SECRET")) }
        #expect(unset?.description.contains("is not set") == true)
        #expect(unset?.description.contains("SECRET") == false)
    }

    @Test("a key that the user gave instead of a file's name is not shown")
    func keyAsFile() {
        let key = "00112233445566778899aabbccddeeff"
        let error = #expect(throws: CommandError.self) { try Self.reader().text(.file(key)) }
        #expect(error?.description.contains(key) == false)
        #expect(error?.description.contains("looks like a key") == true)
    }

    @Test("settings and a key give a decryption")
    func decryption() throws {
        let path = try self.write(Array("hush\n".utf8), "pass")
        let reader = Self.reader(Warnings(), ["KEY": "00112233445566778899aabbccddeeff"])
        for words in [
            ["--decrypt", "aes-ctr", "--key-env", "KEY"],
            ["--decrypt", "aes-cbc", "--key-file", path, "--kdf", "pbkdf2:10"],
            ["--decrypt", "age", "--key-file", path],
        ] {
            let options = try CipherOptions.parse(words)
            let environment = ProgramEnvironment([:])
            #expect(try options.decryption(environment, reader) != nil)
        }
        let wrong = try CipherOptions.parse(["--decrypt", "aes-ctr", "--key-file", path])
        let error = #expect(throws: CipherError.self) {
            try wrong.decryption(ProgramEnvironment([:]), reader)
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains("hush") == false)
    }
}
