// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("A served folder")
struct ServedFolderTests {
    @Test("the tree equals the folder, and a replaced file keeps its old bytes")
    func refresh() throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        try FileManager.default.createDirectory(
            atPath: "\(path)/sub",
            withIntermediateDirectories: true
        )
        try Data("old".utf8).write(to: URL(fileURLWithPath: "\(path)/sub/a.txt"))
        var folder = ServedFolder(path: path)
        var tree = DiskTree()
        folder.refresh(&tree)
        let old = try #require(tree.files[DiskPath("/sub/a.txt")])
        #expect(old.content.bytes(in: 0..<10) == Array("old".utf8))
        folder.refresh(&tree)
        #expect(tree.files[DiskPath("/sub/a.txt")]?.revision == old.revision)
        try Data("newer".utf8).write(to: URL(fileURLWithPath: "\(path)/new"))
        try FileManager.default.removeItem(atPath: "\(path)/sub/a.txt")
        try FileManager.default.moveItem(atPath: "\(path)/new", toPath: "\(path)/sub/a.txt")
        folder.refresh(&tree)
        let new = try #require(tree.files[DiskPath("/sub/a.txt")])
        #expect(new.content.bytes(in: 0..<10) == Array("newer".utf8))
        #expect(new.revision > old.revision)
        #expect(old.content.bytes(in: 0..<10) == Array("old".utf8))
        try FileManager.default.removeItem(atPath: "\(path)/sub/a.txt")
        folder.refresh(&tree)
        #expect(tree.files.isEmpty)
        #expect(tree.children(of: .root).isEmpty)
    }
}
