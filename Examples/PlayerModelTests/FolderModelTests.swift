// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import PlayerModel
import Testing
import Weir

@Suite("The list of a folder")
@MainActor
struct FolderModelTests {
    private static let album = FolderEntry(name: "Album", kind: .folder)
    private static let song = FolderEntry(name: "a.mp3", kind: .file, mediaType: .mpegAudio)
    private static let text = FolderEntry(name: "a.txt", kind: .file, mediaType: .plainText)

    @Test("Every page is listed, with what a tap does")
    func pages() async throws {
        let storage = MemoryStorage([[Self.album, Self.song], [], [Self.text]])
        let folder = FolderModel(try FolderPath("/Music/"), in: storage)
        await folder.load()
        #expect(folder.items.map(\.kind) == [.folder, .playable, .other])
        let paths = folder.items.map(\.path.description)
        #expect(paths == ["/Music/Album/", "/Music/a.mp3", "/Music/a.txt"])
        #expect(folder.message == nil)
        #expect(!folder.isLoading)
    }

    @Test("What came before a failure stays, and the failure is said")
    func failure() async {
        let failure = SourceError(.unreachable, "Nobody answers.")
        let folder = FolderModel(.root, in: MemoryStorage([[Self.song]], failure: failure))
        await folder.load()
        #expect(folder.items.count == 1)
        #expect(folder.message == "Nobody answers.")
    }

    @Test("Leaving is no failure")
    func cancellation() async {
        let folder = FolderModel(.root, in: MemoryStorage(failure: CancellationError()))
        await folder.load()
        #expect(folder.message == nil)
    }

    @Test("A name that no path can hold is left out")
    func impossibleName() async {
        let storage = MemoryStorage([[FolderEntry(name: "..", kind: .folder), Self.song]])
        let folder = FolderModel(.root, in: storage)
        await folder.load()
        #expect(folder.items.map(\.name) == ["a.mp3"])
    }

    @Test("Listing anew in the middle lists nothing twice")
    func overtaken() async {
        let folder = FolderModel(.root, in: MemoryStorage([[Self.album], [Self.song]]))
        async let first: Void = folder.load()
        async let second: Void = folder.load()
        _ = await (first, second)
        #expect(folder.items.map(\.name) == ["Album", "a.mp3"])
        #expect(!folder.isLoading)
    }
}
