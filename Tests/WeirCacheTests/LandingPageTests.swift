// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirSource
import WeirTestKit

@Suite("The landing page")
struct LandingPageTests {
    /// The example of the landing page.
    private func keepFirstBytes(in directory: String) throws {
        let cache = try Cache(directory: directory, limits: CacheLimits(byteCount: 2 << 30))
        defer { cache.close() }
        let key = ResourceKey(
            location: "https://example.org/song.mp3",
            account: "",
            display: "https://example.org/song.mp3"
        )
        let song =
            try cache.open(key)
            ?? cache.create(
                key,
                description: ResourceDescription(
                    length: 5_000_000,
                    mediaType: .mpegAudio,
                    validator: .entityTag("\"v1\"")
                ),
                persistent: true
            )
        defer { song.release() }
        try song.accept(ByteMemory([0x49, 0x44, 0x33]), at: 0)
        let chunk = try song.checkedChunk(at: 0, before: 3)
        print(chunk?.range ?? 0..<0, "of", song.description.length ?? 0)
    }

    @Test("its smallest program runs, and finds the kept resource the next day")
    func program() throws {
        let directory = TemporaryDirectory()
        try self.keepFirstBytes(in: directory.path)
        try self.keepFirstBytes(in: directory.path)
        let listed = try Cache.resources(inDirectory: directory.path)
        #expect(listed.map(\.heldByteCount) == [3])
        #expect(listed.map(\.length) == [5_000_000])
    }
}
