// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirCache
import WeirTestKit
import WeirTestServers

@Suite("Defects of other loaders: counting", .timeLimit(.minutes(1)))
struct DefectCountingTests {
    /// More bytes than a floating-point number with a 24-bit significand can count one by one.
    private static let length: Int64 = 20 << 20
    private static let missing = Self.length - 1_000_001

    @Test(
        "defect 6: beyond 2^24 bytes the count stays exact, and one missing byte means incomplete"
    )
    func counts() async throws {
        var file = DefectFile([UInt8](repeating: 0x5A, count: Int(Self.length)))
        file.bytes[Int(Self.missing)] = 0xA5
        let scene = try await DefectScene(file)
        let library = try scene.library()
        let media = try library.media(scene.url())
        for range in [0..<Self.missing, Self.missing + 1..<Self.length] {
            var count: Int64 = 0
            for try await chunk in try await media.read(.span(range)) {
                count += Int64(chunk.count)
            }
            #expect(count == Int64(range.count))
        }
        #expect(media.availability.held.byteCount == Self.length - 1)
        #expect(!media.availability.isComplete)
        let resource = try #require(try await library.resources().first)
        #expect(resource.heldByteCount == Self.length - 1)
        #expect(!resource.isComplete)
        await #expect(throws: CacheError.self) {
            _ = try await library.export(
                identifier: resource.identifier,
                to: scene.folder.path(of: "song.mp3")
            )
        }
        // Weir requests only the one missing byte.
        let byte = try await LibraryScene.bytes(
            media,
            .span(Self.missing - 1..<Self.missing + 2)
        )
        #expect(byte == [0x5A, 0xA5, 0x5A])
        #expect(scene.origin.requests.last?.range == Self.missing..<Self.missing + 1)
        #expect(media.availability.isComplete)
        #expect(library.totals.snapshot.receivedBytes == Self.length)
        let whole = try #require(try await library.resources().first)
        #expect(whole.isComplete)
        await library.close()
        await scene.end()
    }
}
