// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayerModel
import Testing
import Weir
import WeirTestKit

@Suite("The list of a folder")
@MainActor
struct FolderModelTests {
    private let folder = TemporaryDirectory()

    /// A library with a local folder as storage; `/Music` has an album, a song and a text.
    private func storage() throws -> (MediaLibrary, LibraryStorage) {
        let root = URL(filePath: self.folder.path)
        let music = root.appending(path: "files/Music")
        let album = music.appending(path: "Album")
        try FileManager.default.createDirectory(at: album, withIntermediateDirectories: true)
        for name in ["a.mp3", "a.txt"] { try Data("x".utf8).write(to: music.appending(path: name)) }
        let library = try MediaLibrary(directory: root.appending(path: "cache"))
        return (library, library.storage(.folder(root.appending(path: "files"))))
    }

    @Test("Every item is listed, with the effect of a tap")
    func items() async throws {
        let (library, storage) = try self.storage()
        let folder = FolderModel("/Music", in: storage)
        await folder.load()
        #expect(folder.message == nil)
        #expect(!folder.isLoading)
        let taps = Dictionary(uniqueKeysWithValues: folder.items.map { ($0.name, $0.tap) })
        #expect(taps == ["Album": .opens, "a.mp3": .plays, "a.txt": .nothing])
        await library.close()
    }

    @Test("A failure shows its message")
    func failure() async throws {
        let (library, storage) = try self.storage()
        let folder = FolderModel("/Nowhere", in: storage)
        await folder.load()
        #expect(folder.items.isEmpty)
        #expect(folder.message?.hasSuffix(".") == true)
        await library.close()
    }

    @Test("Two loads at the same time list no item twice")
    func overtaken() async throws {
        let (library, storage) = try self.storage()
        let folder = FolderModel("/Music", in: storage)
        async let first: Void = folder.load()
        async let second: Void = folder.load()
        _ = await (first, second)
        #expect(folder.items.count == 3)
        #expect(!folder.isLoading)
        await library.close()
    }
}
