// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirClouds
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A listed name can be named, served and opened")
struct ListedNameTests {
    private let folder = TemporaryDirectory()

    private static let names: [[UInt8]] = [
        Array("plain.mp3".utf8), Array("a\nb.mp3".utf8), Array("t\tab.mp3".utf8),
        [0x63, 0x61, 0x66, 0xE9] + Array(".mp3".utf8), Array("back\\slash.mp3".utf8),
        Array("a\\x0Ab.mp3".utf8), Array("semi;colon#1?.mp3".utf8), Array("..;up.mp3".utf8),
    ]

    private func make(_ name: [UInt8], _ text: String) {
        let path = LocalPath(self.folder.path(of: "music")).appending(name)
        let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
    }

    private func text(_ media: Media) async throws -> String {
        var bytes: [UInt8] = []
        for try await chunk in try await media.read(.whole) {
            try chunk.memory().withUnsafeBytes { bytes += Array($0) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "by the name on its line, as a path of this machine and of a source, and by the playlist's URL"
    )
    func opens() async throws {
        #expect(mkdir(self.folder.path(of: "music"), 0o700) == 0)
        for (index, name) in Self.names.enumerated() { self.make(name, "file \(index)") }
        let library = try MediaLibrary(
            MediaLibrary.Configuration(directory: self.folder.path(of: "cache"))
        )
        let environment = ProgramEnvironment([:])
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: try Configuration.parse(
                    Array(
                        "[sources.music]\nservice = \"files\"\npath = \"\(self.folder.path(of: "music"))\""
                            .utf8
                    ),
                    file: "/etc/w/config.toml",
                    isPrivate: false,
                    environment
                )
            )
        )
        do {
            let folder = self.folder.path(of: "music")
            let location = try resolver.location(folder)
            var lines: [String] = []
            for try await page in location.origin(in: library).entries(in: .root) {
                for entry in page {
                    lines.append(entry.line)
                    let path = try location.path.appending(entry.name)
                    let index = try #require(Self.names.firstIndex(of: path.componentBytes[0]))
                    let target = location.target(of: path.asFile)
                    #expect(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                    let local = try resolver.location("\(folder)/\(entry.name)").media(in: library)
                    #expect(try await self.text(local) == "file \(index)")
                    // Weir does not request a name below a folder if a server could read the name
                    // as a way up.
                    guard entry.name != "..;up.mp3" else { continue }
                    let served = try #require(location.media(for: target[...], in: library))
                    #expect(try await self.text(served) == "file \(index)")
                    let named = try resolver.location("music:/\(entry.name)").media(in: library)
                    #expect(try await self.text(named) == "file \(index)")
                }
            }
            #expect(lines.count == Self.names.count)
            #expect(
                lines.allSatisfy { line in
                    !line.contains { $0.isNewline || $0 == "\t" || $0 == "?" }
                        || line.contains("semi")
                }
            )
            let error = #expect(throws: CommandError.self) {
                try resolver.location("music:/..;up.mp3").media(in: library)
            }
            #expect(error?.description.contains("as a path outside its folder") == true)
        } catch {
            await library.close()
            throw error
        }
        await library.close()
    }

    @Test("a folder whose name is not text is listed and its files open")
    func folders() async throws {
        let path = LocalPath(bytes: Array("\(self.folder.path)/".utf8) + [0xE9])
        #expect(path.withCString { mkdir($0, 0o700) } == 0)
        let file = path.appending(Array("a.mp3".utf8))
        let descriptor = file.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        #expect(write(descriptor, "x", 1) == 1)
        close(descriptor)
        #expect(path.text == "\(self.folder.path)/\\xE9")
        let found = try #require(LocalPath.existing("\(self.folder.path)/\\xE9"))
        #expect(found.isFolder && found.path == path)
        let storage = FileStorage(folder: found.path)
        var names: [String] = []
        for try await page in storage.entries(in: .root) { names += page.map(\.name) }
        #expect(names == ["a.mp3"])
        #expect(try await storage.source(of: try FolderPath("a.mp3")).describe().length == 1)
    }

    @Test("a listed name has priority over a literal one, and each is found where only it exists")
    func precedence() throws {
        #expect(mkdir(self.folder.path(of: "music"), 0o700) == 0)
        let text = "\(self.folder.path(of: "music"))/a\\x0Ab"
        #expect(LocalPath.existing(text) == nil)
        self.make(Array("a\\x0Ab".utf8), "as it is written")
        #expect(LocalPath.existing(text)?.path.lastName == Array("a\\x0Ab".utf8))
        self.make(Array("a\nb".utf8), "a line feed")
        #expect(LocalPath.existing(text)?.path.lastName == Array("a\nb".utf8))
        #expect(
            LocalPath.existing("\(self.folder.path(of: "music"))/a\\x5Cx0Ab")?.path.lastName
                == Array("a\\x0Ab".utf8)
        )
    }
}
