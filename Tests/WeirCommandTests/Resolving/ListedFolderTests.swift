// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The order of a folder")
struct ListedFolderTests {
    /// A folder with these pages of entries.
    private final class Paged: MediaStorage {
        private let pages: [[FolderEntry]]
        let given = Watched(0)

        init(_ pages: [[FolderEntry]]) { self.pages = pages }

        var credentialScope: CredentialScope { .everyone }
        func displayName(of path: FolderPath) -> String { "paged:\(path)" }
        func identity(of path: FolderPath) -> String? { nil }
        func source(of path: FolderPath) -> any ByteSource { fatalError("nothing is read here") }
        func entry(at path: FolderPath) async throws -> FolderEntry {
            FolderEntry(name: "/", kind: .folder)
        }
        func entries(in path: FolderPath) -> FolderPages {
            FolderPages { [pages, given] in
                let next = Watched(0)
                return {
                    let index = next.update { index in
                        defer { index += 1 }
                        return index
                    }
                    guard index < pages.count else { return nil }
                    given.update { $0 += 1 }
                    return pages[index]
                }
            }
        }
    }

    private static func file(_ name: String) -> FolderEntry { FolderEntry(name: name, kind: .file) }

    private func names(_ storage: Paged, first count: Int = .max) async throws -> [String] {
        var names: [String] = []
        try await ListedFolder(storage: storage, path: .root).read { entry, _ in
            names.append(entry.kind == .folder ? "\(entry.name)/" : entry.name)
            return names.count < count
        }
        return names
    }

    @Test("is files before folders, and 2 before 10, for pages of any size")
    func order() async throws {
        let entries = [
            FolderEntry(name: "1", kind: .folder), Self.file("10.mp3"), Self.file("b.mp3"),
            FolderEntry(name: "CD 10", kind: .folder), Self.file("2.mp3"),
            FolderEntry(name: "CD 9", kind: .folder), Self.file("A.mp3"), Self.file("02.mp3"),
        ]
        let expected = ["02.mp3", "2.mp3", "10.mp3", "A.mp3", "b.mp3", "1/", "CD 9/", "CD 10/"]
        for size in 1...entries.count {
            let pages = stride(from: 0, to: entries.count, by: size).map {
                Array(entries[$0..<min($0 + size, entries.count)])
            }
            #expect(try await self.names(Paged(pages + [[]])) == expected, "pages of \(size)")
        }
        #expect(try await self.names(Paged([entries]), first: 3) == Array(expected.prefix(3)))
    }

    @Test("is the storage's own for more entries than the limit; they are returned as they arrive")
    func bound() async throws {
        let count = ListedFolder.mostSorted
        let full = (0..<count).map { Self.file("\(count - $0)") }
        #expect(try await self.names(Paged([full])).first == "1")
        let storage = Paged([full, [Self.file("0")], [Self.file("more")]])
        let names = try await self.names(storage)
        #expect(names == full.map(\.name) + ["0", "more"])
        let stopped = Paged([full, [Self.file("0")], [Self.file("more")]])
        _ = try await self.names(stopped, first: 1)
        #expect(stopped.given.value == 2)
    }

    @Test("has no names that a server may take for a path out of the folder; they are reported")
    func climbing() async throws {
        let names = [
            "%2e%2e", "..;x", "a?..", "%252e%252e", "..mp3", "100%.flac", "a%00", "50%2f..%2fx",
        ]
        let storage = Paged([names.map(Self.file)])
        var leftOut: [String] = []
        var listed: [String] = []
        let folder = ListedFolder(storage: storage, path: .root) {
            leftOut.append(ListedFolder.leftOut($0))
        }
        try await folder.read { entry, _ in
            listed.append(entry.name)
            return true
        }
        #expect(listed == ["..mp3", "100%.flac"])
        #expect(leftOut.count == 6)
        #expect(
            leftOut.allSatisfy {
                $0.hasSuffix(
                    " is left out, since some servers read its name as a path outside the folder."
                )
            }
        )
    }
}
