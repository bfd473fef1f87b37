// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirClouds
import WeirSource
import WeirTestKit

@Suite("A folder of this machine")
struct FileStorageTests {
    private let folder = TemporaryDirectory()

    private func make(_ name: String, _ bytes: [UInt8] = []) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: self.folder.path(of: name)))
    }

    private func names(_ storage: FileStorage, _ path: String = "/") async throws -> [String] {
        var names: [String] = []
        for try await page in storage.entries(in: try FolderPath(path)) {
            names += page.map(\.name)
        }
        return names
    }

    @Test("shows its own paths, or its name before the paths in it")
    func shows() throws {
        let path = try FolderPath("/a/b.mp3")
        #expect(FileStorage(folder: "/srv//").displayName(of: path) == "/srv/a/b.mp3")
        #expect(FileStorage(folder: "/").displayName(of: path) == "/a/b.mp3")
        #expect(FileStorage(folder: "/").displayName(of: .root) == "/")
        #expect(FileStorage(folder: "/srv").displayName(of: .root) == "/srv")
        let named = FileStorage(folder: "/srv", name: "nas")
        #expect(named.displayName(of: path) == "nas:/a/b.mp3")
        #expect(named.identity(of: path) == nil && !named.credentialScope.hasCredential)
    }

    @Test("lists its entries by name, page by page")
    func lists() async throws {
        for number in 0..<401 { try self.make("f\(1000 + number)") }
        let storage = FileStorage(folder: self.folder.path)
        let names = try await self.names(storage)
        let isAll = names == (0..<401).map { "f\(1000 + $0)" }
        #expect(isAll)
        var counts: [Int] = []
        for try await page in storage.entries(in: .root) { counts.append(page.count) }
        #expect(counts == [200, 200, 1])
    }

    @Test("lists names that are not one line of text in escaped form, and opens them")
    func oddNames() async throws {
        let names: [(bytes: [UInt8], text: String)] = [
            (Array("a\nb.mp3".utf8), "a\\x0Ab.mp3"), (Array("a\\x0Ab.mp3".utf8), "a\\x5Cx0Ab.mp3"),
            (Array("back\\slash.mp3".utf8), "back\\slash.mp3"),
            ([0x63, 0x61, 0x66, 0xE9], "caf\\xE9"), (Array("t\tab".utf8), "t\\x09ab"),
        ]
        for (index, name) in names.enumerated() {
            let path = LocalPath(self.folder.path).appending(name.bytes)
            let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
            #expect(descriptor >= 0)
            #expect(write(descriptor, "12345", index + 1) == index + 1)
            close(descriptor)
        }
        let storage = FileStorage(folder: self.folder.path)
        #expect(try await self.names(storage) == names.map(\.text).sorted())
        for (index, name) in names.enumerated() {
            let path = try FolderPath.root.appending(name.text)
            let entry = try await storage.entry(at: path)
            #expect(entry.name == name.text && entry.length == Int64(index + 1))
            let source = storage.source(of: path)
            #expect(try await source.describe().length == Int64(index + 1))
            #expect(storage.displayName(of: path) == "\(self.folder.path)/\(name.text)")
        }
    }

    @Test("describes files and folders, and leaves out broken links")
    func describes() async throws {
        try self.make("a.mp3", [1, 2])
        let storage = FileStorage(folder: self.folder.path)
        #expect(mkdir(self.folder.path(of: "sub"), 0o700) == 0)
        try self.make("sub/b.mp3")
        #expect(symlink("/nowhere/at/all", self.folder.path(of: "broken")) == 0)
        #expect(symlink(self.folder.path(of: "sub"), self.folder.path(of: "link")) == 0)
        #expect(try await self.names(storage) == ["a.mp3", "link", "sub"])
        #expect(try await self.names(storage, "link/") == ["b.mp3"])
        let file = try await storage.entry(at: try FolderPath("a.mp3"))
        #expect(file.kind == .file && file.length == 2 && file.validator != nil)
        let source = storage.source(of: try FolderPath("a.mp3"))
        #expect(try await source.describe().validator == file.validator)
        for path in ["sub", "sub/", "link"] {
            let entry = try await storage.entry(at: try FolderPath(path))
            #expect(entry.kind == .folder && entry.length == nil && entry.validator == nil)
        }
        #expect(try await storage.entry(at: .root).kind == .folder)
    }

    @Test("reports missing paths and paths that hold no entries")
    func saysNo() async throws {
        try self.make("a.mp3")
        let storage = FileStorage(folder: self.folder.path, name: "nas")
        let missing = await thrownError { _ = try await self.names(storage, "no/") }
        #expect(missing?.code == .notFound && missing?.message.contains("nas:/no/") == true)
        let file = await thrownError { _ = try await self.names(storage, "a.mp3") }
        #expect(file?.code == .invalidRequest)
        let entry = await thrownError { _ = try await storage.entry(at: try FolderPath("x")) }
        #expect(entry?.code == .notFound)
    }

    @Test("names nothing outside its folder")
    func staysInside() throws {
        for path in ["..", "../x", "a/../../x", "..\u{2F}\u{301}x"] {
            #expect(throws: SourceError.self) { try FolderPath(path) }
        }
    }
}
