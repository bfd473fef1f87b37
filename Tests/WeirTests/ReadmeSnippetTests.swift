// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirTestKit

@Suite("The snippet of the README")
struct ReadmeSnippetTests {
    /// Takes what a player would play.
    private final class Player {
        private(set) var byteCount = 0
        func feed(_ bytes: ByteMemory) throws { self.byteCount += bytes.count }
    }

    private func play(folder: String, url: String, token: String, player: Player) async throws {
        // snippet
        let library = try MediaLibrary(.init(directory: folder))
        let song = try library.media(url, headers: ["Authorization: OAuth \(token)"])
        let reading = try await song.read(.whole)
        print(
            reading.description.mediaType?.description ?? "unknown",
            reading.description.length ?? 0
        )
        for try await chunk in reading {
            try player.feed(chunk.memory())
        }
        await library.close()
        // end
    }

    @Test("plays")
    func plays() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 123_456))
        let player = Player()
        try await self.play(folder: scene.folder.path, url: scene.url(), token: "t", player: player)
        #expect(player.byteCount == 123_456)
        await scene.stop()
    }

    @Test("stands in the README as it is compiled here")
    func isInReadme() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.components(separatedBy: "// snippet\n")[1].components(
            separatedBy: "        // end"
        )[0]
        let snippet = lines.split(separator: "\n").map { $0.dropFirst(8) }.joined(separator: "\n")
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        #expect(readme.contains("import Weir\n\n\(snippet)\n"))
    }
}
