// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCipher
import WeirSource
import WeirTestKit

/// The format that the article "Writing an encrypted format" shows.
@Suite("The format of the article")
struct MaskedFormatTests {
    private static let plain = PatternBytes.bytes(in: 0..<100_003)
    private static let key = SecretBytes([3, 1, 4, 1, 5, 9, 2])
    private let folder = TemporaryDirectory()

    /// The bytes that a player with these keys reads from a masked file.
    private func read(
        _ range: Range<Int64>,
        keys: [UInt64: SecretBytes]
    ) async throws -> Data {
        let file = URL(filePath: self.folder.path(of: "song.mp3"))
        let header: [UInt8] = Array("MASKED01".utf8) + [0, 0, 0, 0, 0, 0, 0, 42]
        let masked = Self.key.withUnsafeBytes { key in
            Self.plain.enumerated().map { $0.element ^ key[$0.offset % key.count] }
        }
        try Data(header + masked).write(to: file)
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path(of: "cache")))
        let format = Decryption.format(MaskedFormat(keys: keys))
        let song = library.media(MediaRequest(url: file, decryption: format))
        let result: Result<Data, any Error>
        do { result = .success(try await song.data(in: range)) } catch { result = .failure(error) }
        await library.close()
        return try result.get()
    }

    @Test(
        "gives the plain bytes at every offset",
        arguments: [0..<1, 0..<100_003, 6..<8, 65_535..<65_537, 99_999..<200_000]
    )
    func decrypts(_ range: Range<Int64>) async throws {
        let bytes = try await self.read(range, keys: [41: SecretBytes([1]), 42: Self.key])
        #expect(Array(bytes) == Array(Self.plain[range.clamped(to: 0..<100_003)]))
    }

    @Test("names the missing key")
    func missesKeys() async throws {
        let error = await #expect(throws: SourceError.self) {
            try await self.read(0..<1, keys: [41: SecretBytes([1])])
        }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains("the key 42") == true)
    }
}

extension [UInt8] {
    /// The bytes at offsets in a file.
    fileprivate subscript(range: Range<Int64>) -> ArraySlice<UInt8> {
        self[Int(range.lowerBound)..<Int(range.upperBound)]
    }
}
