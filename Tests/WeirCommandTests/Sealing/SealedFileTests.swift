// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing
import Weir
import WeirCipher
import WeirTestKit

@testable import WeirCommand

@Suite("A sealed file")
struct SealedFileTests {
    private let folder = TemporaryDirectory()
    private static let key = "000102030405060708090a0b0c0d0e0f"

    private func path(_ name: String) -> String { self.folder.path(of: name) }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: self.path(name)))
    }

    private static func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static var keys: KeyReader {
        KeyReader(ProgramEnvironment(["KEY": self.key, "PASSPHRASE": "correct horse"])) { _ in }
    }

    private func seal(_ name: String, to target: String, _ sealing: Sealing) throws
        -> (head: [UInt8], readCount: Int64, writtenCount: Int64)
    {
        let file = try DownloadFile(path: self.path(target))
        let sealed = try file.seal(SealInput(path: self.path(name)), sealing) { _ in }
        try file.finish()
        return sealed
    }

    /// The bytes that a player reads from the file.
    private func played(_ name: String, _ words: [String]) async throws -> [UInt8] {
        let options = MediaLibrary.Configuration(directory: self.path("cache"))
        let library = try MediaLibrary(options)
        let environment = ProgramEnvironment([:])
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: Configuration(file: "c.toml"),
                decryption: try CipherOptions.parse(words).decryption(environment, Self.keys),
                keys: Self.keys
            )
        )
        let location = try resolver.location(self.path(name))
        var bytes: [UInt8] = []
        do {
            for try await chunk in try await location.media(in: library).read(.whole) {
                try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
            }
        } catch {
            await library.close()
            throw error
        }
        await library.close()
        return bytes
    }

    @Test(
        "plays as the plain file, for every scheme",
        arguments: [SealScheme.aesCTR, .aesCBC, .age],
        [0, 1, 15, 16, 65_536, 1 << 20, 1 << 20 + 17]
    )
    func roundTrip(_ scheme: SealScheme, _ count: Int) async throws {
        let plain = Self.bytes(count, UInt64(count))
        try self.write(plain, "film.mp4")
        let location = KeyLocation.environment(scheme == .age ? "IDENTITY" : "KEY")
        let identity = KeyReader(
            ProgramEnvironment(["KEY": Self.key, "IDENTITY": KeyTextTests.identity])
        ) { _ in }
        let sealing = try SealKey.stored(location).sealing(
            scheme,
            vector: nil,
            counter: 0,
            identity
        )
        let sealed = try self.seal("film.mp4", to: "film.mp4.sealed", sealing)
        #expect(sealed.readCount == Int64(count))
        #expect(scheme == .age || sealed.head.count == 16)
        let stored = try Data(contentsOf: URL(fileURLWithPath: self.path("film.mp4.sealed")))
        #expect(sealed.writtenCount == Int64(stored.count))
        #expect(stored.starts(with: sealed.head))
        let key = self.path("film.key")
        try (scheme == .age ? KeyTextTests.identity : Self.key)
            .write(toFile: key, atomically: true, encoding: .utf8)
        let words = ["--decrypt", scheme.rawValue, "--key-file", key]
        #expect(try await self.played("film.mp4.sealed", words) == plain)
    }

    @Test("plays with the vector and the counter of its sealing")
    func vectors() async throws {
        let plain = Self.bytes(100_000, 1)
        try self.write(plain, "a")
        let vector = Self.bytes(16, 2)
        let sealing = try SealKey.stored(.environment("KEY")).sealing(
            .aesCTR,
            vector: vector,
            counter: 9,
            Self.keys
        )
        let sealed = try self.seal("a", to: "b", sealing)
        #expect(sealed.head.isEmpty)
        #expect(sealed.writtenCount == 100_000)
        let words = [
            "--decrypt", "aes-ctr", "--key-env", "KEY", "--iv", PacketLine.hexadecimal(vector),
            "--counter", "9",
        ]
        #expect(try await self.played("b", words) == plain)
    }

    @Test("does not replace an existing file, and never the file to be sealed")
    func targets() throws {
        try self.write([1], "a")
        try self.write([2], "b")
        try FileManager.default.createSymbolicLink(
            atPath: self.path("link"),
            withDestinationPath: self.path("a")
        )
        let input = try SealInput(path: self.path("a"))
        func failure(_ name: String, isForced: Bool) -> CommandError? {
            do throws(CommandError) {
                try OutputTarget(option: self.path(name), sealing: self.path("a"), as: .age)
                    .check(sealing: input, isForced: isForced)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure("new", isForced: false) == nil)
        #expect(failure("b", isForced: true) == nil)
        #expect(failure("b", isForced: false)?.description.contains("--force") == true)
        for name in ["a", "link"] {
            let error = failure(name, isForced: true)
            #expect(error?.description.contains("is the input file") == true)
            #expect(error?.status == .usage)
        }
        #expect(failure(".", isForced: true)?.description.contains("is not a regular file") == true)
    }

    @Test("needs an existing file")
    func inputs() throws {
        let missing = #expect(throws: CommandError.self) { try SealInput(path: self.path("none")) }
        #expect(missing?.status == .notFound)
        let folder = #expect(throws: CommandError.self) { try SealInput(path: self.folder.path) }
        #expect(folder?.status == .usage)
        try self.write(Array(0..<10), "a")
        let input = try SealInput(path: self.path("a"))
        #expect(input.size == 10)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { room.deallocate() }
        #expect(try input.read(into: room) == 8)
        #expect(try input.read(into: room) == 2)
        #expect(try input.read(into: room) == 0)
    }
}
