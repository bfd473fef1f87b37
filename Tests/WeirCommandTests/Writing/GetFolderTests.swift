// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("The folder that -o of weir get names")
struct GetFolderTests {
    private let folder = TemporaryDirectory()

    private func folder(of words: String...) throws -> String? {
        try GetCommand.parse(["http://web.test/a.mp3"] + words).folder
    }

    @Test("is an existing folder, for one file")
    func one() throws {
        let path = self.folder.path(of: "d")
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false
        )
        let link = self.folder.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try self.folder(of: "-o", path) == path)
        #expect(try self.folder(of: "-o", "\(path)/") == "\(path)/")
        #expect(try self.folder(of: "-o", "\(link)/") == "\(link)/")
        #expect(try self.folder(of: "-o", link) == nil)
        #expect(try self.folder(of: "-o", self.folder.path(of: "new.mp3")) == nil)
        #expect(try self.folder(of: "-o", "-") == nil)
        #expect(try self.folder(of: "--force") == nil)
    }

    @Test("is created for several files, and not for one", arguments: ["new/", "file/"])
    func missing(_ name: String) throws {
        let file = self.folder.path(of: "file")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let path = self.folder.path(of: name)
        let error = #expect(throws: (any Error).self) { try self.folder(of: "-o", path) }
        #expect(
            error.map { GetCommand.message(for: $0) }
                == "\(path) is not an existing folder; create it first, or name a file without a slash at its end."
        )
        if name == "new/" {
            #expect(try self.folder(of: "http://web.test/b.mp3", "-o", path) == path)
        }
    }
}
