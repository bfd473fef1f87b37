// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCipher
import WeirSource
import WeirTestKit

@Suite("An application's own format")
struct CipherFormatTests {
    /// Units of four plain bytes and their sum, behind a header with the number added to each byte.
    private struct Summed: CipherFormat {
        /// The number that the header must contain.
        let key: UInt8
        let isAuthenticated = true

        func open(_ file: StoredFile) async throws -> OpenedFormat {
            let header = try await file.bytes(in: 0..<2)
            guard header == [0x57, self.key] else {
                throw CipherError(.wrongKey, "The key of \(file.name) is another one.")
            }
            var layout = StoredLayout(prefix: 2, plainUnit: 4, storedUnit: 5)
            if let length = file.resource.length {
                layout.storedLength = length
                layout.plainLength = (length - 2) - (length - 2 + 4) / 5
            }
            return OpenedFormat(layout: layout, cipher: Cipher(key: self.key))
        }

        struct Cipher: UnitCipher {
            let key: UInt8
            let largestRun = 50

            func decrypt(
                _ stored: UnsafeRawBufferPointer,
                from first: Int64,
                after before: UnsafeRawBufferPointer,
                isLast: Bool
            ) throws(CipherError) -> Data {
                var plain = Data()
                var rest = stored[...]
                while !rest.isEmpty {
                    let unit = rest.prefix(5)
                    rest = rest.dropFirst(5)
                    let bytes = unit.dropLast().map { $0 &- self.key }
                    guard unit.last == bytes.reduce(0, &+) else {
                        throw CipherError(.damaged, "A unit is not what was written.")
                    }
                    plain += bytes
                }
                return plain
            }
        }

        func stored(_ plain: [UInt8]) -> [UInt8] {
            var stored: [UInt8] = [0x57, self.key]
            for start in stride(from: 0, to: plain.count, by: 4) {
                let unit = plain[start..<min(start + 4, plain.count)]
                stored += unit.map { $0 &+ self.key } + [unit.reduce(0, &+)]
            }
            return stored
        }
    }

    private static let plain = PatternBytes.bytes(in: 0..<1003)

    private static func source(_ stored: [UInt8], key: UInt8) -> CipherSource {
        CipherSource(
            ScriptedSource(ScriptedResource(bytes: stored), chunkSize: 7),
            decryption: .format(Summed(key: key)),
            for: KeyRequest(resource: "film.sum")
        )
    }

    @Test(
        "reads at every offset as the built-in formats do",
        arguments: [0, 1, 3, 4, 5, 998, 1002]
    )
    func ranges(_ start: Int64) async throws {
        let source = Self.source(Summed(key: 9).stored(Self.plain), key: 9)
        #expect(try await source.describe().length == 1003)
        for end in [start + 1, min(start + 6, 1003), 1003] {
            var bytes: [UInt8] = []
            for try await chunk in try await source.read(.span(start..<end)) {
                bytes += try chunk.bytes()
            }
            #expect(bytes == Array(Self.plain[Int(start)..<Int(end)]), "\(start)..<\(end)")
        }
    }

    @Test("reports a wrong key and a changed byte as errors of the source")
    func refuses() async throws {
        let stored = Summed(key: 9).stored(Self.plain)
        let wrong = await #expect(throws: SourceError.self) {
            try await Self.source(stored, key: 8).describe()
        }
        #expect(wrong?.code == .wrongKey)
        var damaged = stored
        damaged[500] ^= 1
        let source = Self.source(damaged, key: 9)
        let error = await #expect(throws: SourceError.self) {
            for try await _ in try await source.read(.whole) {}
        }
        #expect(error?.code == .damaged)
        #expect(error?.localizedDescription == error?.message)
    }

    @Test("says whether it authenticates its bytes")
    func authenticated() {
        #expect(Decryption.format(Summed(key: 1)).isAuthenticated)
    }
}
