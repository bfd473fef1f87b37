// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("A path in a storage")
struct FolderPathTests {
    @Test(
        "is read from its root, with any number of slashes",
        arguments: [
            ("", "/"), ("/", "/"), ("//", "/"), ("a", "/a"), ("/a/b", "/a/b"), ("a//b/", "/a/b/"),
            ("/%2E%2E/x", "/%2E%2E/x"), ("a:+%#?  b", "/a:+%#?  b"), ("...", "/..."),
            ("/ä/ё", "/ä/ё"),
        ]
    )
    func reads(_ text: String, _ shown: String) throws {
        let path = try FolderPath(text)
        #expect(path.description == shown)
        #expect(path.isFolder == shown.hasSuffix("/"))
        #expect(try FolderPath(path.description) == path)
    }

    @Test(
        "never leads upwards, and holds no control character",
        arguments: [
            "..", ".", "/..", "../a", "a/../b", "a/./b", "a/..", "a/.", "a\0b", "\n", "a/\u{7F}",
            "a\r\nb", "a\u{1B}[31m",
        ]
    )
    func refuses(_ text: String) {
        let error = #expect(throws: SourceError.self) { try FolderPath(text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains(text) == false || text == ".." || text == ".")
        #expect(throws: SourceError.self) { try FolderPath.root.appending(text) }
    }

    @Test("recognises a slash even before a combining mark")
    func seesEverySlash() throws {
        #expect(throws: SourceError.self) { try FolderPath("..\u{2F}\u{301}x") }
        #expect(throws: SourceError.self) { try FolderPath("a/\u{301}x/..\u{2F}\u{200D}b") }
        #expect(try FolderPath("a/\u{301}x").components.count == 2)
        #expect(!FolderPath.isName("a/\u{301}x"))
    }

    @Test("holds no slash in a name, however the name is made", arguments: 0..<200)
    func holdsNoSlash(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let signs: [Unicode.Scalar] = [
            "/", ".", "a", "\u{301}", "\u{200D}", "\0", "%", " ", "\u{FE0F}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<12 { text.append(signs[Int.random(in: 0..<signs.count, using: &random)]) }
        guard let path = try? FolderPath(String(text)) else { return }
        for name in path.components { #expect(FolderPath.isName(name)) }
        let scalars = path.components.flatMap { Array($0.unicodeScalars) }
        #expect(!scalars.contains("/") && !scalars.contains("\0"))
        #expect(try FolderPath(path.description) == path)
    }

    @Test("differs from another path if names differ only in their normal form")
    func comparesBytes() throws {
        let (one, two) = (try FolderPath("/\u{E9}.mp4"), try FolderPath("/e\u{301}.mp4"))
        #expect(one != two && Set([one, two]).count == 2)
        let entries = [one, two].map { FolderEntry(name: $0.name ?? "", kind: .file) }
        #expect(entries[0] != entries[1] && Set(entries).count == 2)
    }

    @Test("can be joined and split")
    func joins() throws {
        let album = try FolderPath("/Music/Album/")
        #expect(try album.appending("01.mp3").description == "/Music/Album/01.mp3")
        #expect(try album.appending("/a/b/").description == "/Music/Album/a/b/")
        #expect(try album.appending("") == album)
        #expect(album.asFile.description == "/Music/Album" && album.name == "Album")
        #expect(album != album.asFile && album.asFile.asFile == album.asFile)
        #expect(FolderPath.root.name == nil && FolderPath.root.isFolder)
        #expect(FolderPath.root.asFile.description == "/")
    }
}
