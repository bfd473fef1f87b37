// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayerModel
import Testing
import Weir
import WeirTestKit

@Suite("The media kept on this device")
@MainActor
struct StorageModelTests {
    private static let bytes = [UInt8](repeating: 0x55, count: 200_000)

    private let folder = TemporaryDirectory()

    private func song(_ name: String, in library: MediaLibrary) -> Media {
        let source = MemorySource(
            bytes: Self.bytes,
            mediaType: .mpegAudio,
            name: name,
            validator: .revision("1")
        )
        return library.media(source, identifiedBy: "memory:/\(name)")
    }

    private func play(_ path: String, _ range: RequestedRange, in library: MediaLibrary)
        async throws
    {
        let song = self.song(path, in: library)
        for try await _ in try await song.read(range) {}
        await song.close()
    }

    @Test("A played medium is listed, and can be pinned and removed")
    func pinAndRemove() async throws {
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        try await self.play("a.mp3", .whole, in: library)
        let storage = StorageModel(library)
        await storage.refresh()
        let item = try #require(storage.items.first)
        #expect(item.title == "a.mp3")
        #expect(item.fraction == 1)
        #expect(storage.heldByteCount == Int64(Self.bytes.count))

        await storage.pin(item, true)
        #expect(storage.items.first?.isPinned == true)
        await storage.remove(item)
        #expect(storage.items.isEmpty)
        #expect(storage.message == nil)
        await library.close()
    }

    @Test("The limit is the library's")
    func limit() async throws {
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        let storage = StorageModel(library)
        await storage.setLimit(1 << 30)
        #expect(storage.limit == 1 << 30)
        #expect(library.cacheLimits.byteCount == 1 << 30)
        await library.close()
    }

    @Test("A failure shows the library's own message")
    func failure() async throws {
        let library = try MediaLibrary(directory: URL(filePath: self.folder.path))
        let storage = StorageModel(library)
        await library.close()
        await storage.refresh()
        #expect(storage.message?.hasSuffix(".") == true)
    }
}
