// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirLive
import WeirTestKit

/// How a file gets its name, on every kind of file system.
@Suite struct FileNamingTests {
    private let folder = TemporaryDirectory()

    private func path(_ name: String) -> String { self.folder.path(of: name) }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.path(name)))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: self.path(name))), as: UTF8.self)
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)) ?? []).sorted()
    }

    private static let namings: [(String, FileNaming)] = [
        ("with links", FileNaming()), ("without links", FileNaming { _, _ in EPERM }),
        ("unsupported", FileNaming { _, _ in EOPNOTSUPP }),
    ]

    @Test("A file gets an unused name")
    func gives() throws {
        for (kind, naming) in Self.namings {
            try self.put(kind, "part")
            #expect(naming.give(self.path(kind), to: self.path("part")) == .given)
            #expect(try self.text(kind) == kind)
        }
        #expect(self.names == ["unsupported", "with links", "without links"])
    }

    @Test("A file, folder, link or pipe that has the name keeps it")
    func taken() throws {
        try self.put("theirs", "file")
        #expect(symlink(self.path("none"), self.path("broken")) == 0)
        #expect(mkdir(self.path("folder"), 0o700) == 0)
        #expect(mkfifo(self.path("pipe"), 0o600) == 0)
        try self.put("mine", "part")
        for (kind, naming) in Self.namings {
            for name in ["file", "broken", "folder", "pipe"] {
                #expect(
                    naming.give(self.path(name), to: self.path("part")) == .taken,
                    "\(name) \(kind)"
                )
            }
        }
        #expect(try self.text("file") == "theirs" && self.text("part") == "mine")
        #expect(self.names == ["broken", "file", "folder", "part", "pipe"])
    }

    @Test(
        "Replacing replaces a file or the link itself, and never a folder or the target of a link"
    )
    func replaces() throws {
        try self.put("theirs", "file")
        #expect(symlink(self.path("file"), self.path("link")) == 0)
        #expect(mkdir(self.path("folder"), 0o700) == 0)
        let naming = FileNaming()
        try self.put("mine", "part")
        #expect(naming.give(self.path("link"), to: self.path("part"), isReplacing: true) == .given)
        #expect(try self.text("link") == "mine" && self.text("file") == "theirs")
        try self.put("mine", "part")
        #expect(naming.give(self.path("file"), to: self.path("part"), isReplacing: true) == .given)
        #expect(try self.text("file") == "mine")
        try self.put("mine", "part")
        let failure = naming.give(self.path("folder"), to: self.path("part"), isReplacing: true)
        #expect(failure != .given && failure != .taken)
        #expect(self.names == ["file", "folder", "link", "part"])
    }

    @Test("A rename that fails leaves neither the file nor the name behind")
    func fails() {
        for (_, naming) in Self.namings {
            #expect(naming.give(self.path("new"), to: self.path("none")) == .failed(ENOENT))
        }
        #expect(self.names.isEmpty)
    }
}
