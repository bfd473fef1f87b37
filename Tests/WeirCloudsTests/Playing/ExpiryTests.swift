// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("Links and tokens that end in mid-play", .timeLimit(.minutes(3)))
struct ExpiryTests {
    /// Plays a whole reading in real time: one second of media for each second of the clock.
    private static func play(
        _ reading: ByteReading,
        _ scene: PlayScene
    ) async throws -> Int64 {
        var position = reading.lowerBound
        var due = PlayScene.second
        for try await chunk in reading {
            guard chunk.range.lowerBound == position else {
                Issue.record("a chunk at \(chunk.range.lowerBound) after \(position)")
                return -1
            }
            let isRight = try chunk.bytes() == PatternBytes.bytes(in: chunk.range, seed: 1)
            #expect(isRight, "wrong bytes at \(position)")
            position = chunk.range.upperBound
            while position >= due {
                try await scene.pass()
                due += PlayScene.second
            }
        }
        return position
    }

    @Test("ten minutes with links of 5 s and tokens of 7 s: no byte is wrong, and none comes twice")
    func tenMinutes() async throws {
        let scene = try await PlayScene.make(seconds: 600)
        let source = scene.storage.source(of: try FolderPath(PlayScene.path))
        let reading = try await source.read(.whole)
        #expect(try await Self.play(reading, scene) == 600 * PlayScene.second)
        // The next response continues at the byte where an expired link cut the last one.
        let sent = scene.sentBytes
        #expect(sent == 600 * PlayScene.second, "\(sent) bytes were sent")
        let refreshes = scene.count("oauth", "POST")
        // On a busy machine, the clock may advance while a request is being made.
        #expect(refreshes >= 40 && refreshes <= 100, "\(refreshes) refreshes")
        // The last refresh may still be running.
        let told = scene.events.value.filter { $0 == "token" }.count
        #expect(told == refreshes || told == refreshes - 1)
        #expect(scene.server.violations == [])
        await scene.end()
    }

    @Test("any number of readers share one link and one refresh", arguments: [1, 16])
    func sharing(_ readers: Int) async throws {
        let scene = try await PlayScene.make(seconds: 40)
        let source = scene.storage.source(of: try FolderPath(PlayScene.path))
        // Ten rounds: each reader reads a second of media, then four seconds pass.
        for round in 0..<10 {
            let offset = Int64(round) * PlayScene.second
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<readers {
                    group.addTask {
                        let span = offset..<(offset + PlayScene.second)
                        var bytes: [UInt8] = []
                        for try await chunk in try await source.read(.span(span)) {
                            bytes += try chunk.bytes()
                        }
                        let isRight = bytes == PatternBytes.bytes(in: span, seed: 1)
                        #expect(isRight)
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<4 { try await scene.pass() }
        }
        // The counts do not depend on the number of readers: about one link a round, and at most one token a round.
        #expect(scene.count("api") <= 12, "\(scene.count("api")) requests to the API")
        #expect(scene.count("oauth", "POST") <= 10)
        #expect(scene.server.violations == [])
        await scene.end()
    }

    @Test("a file that changes between two links is never mixed")
    func changes() async throws {
        // The file is larger than the system's buffers between a server and a slow client.
        let seconds: Int64 = 800
        let scene = try await PlayScene.make(seconds: seconds)
        let source = scene.storage.source(of: try FolderPath(PlayScene.path))
        let reading = try await source.read(.whole)
        var position: Int64 = 0
        var failure: SourceError?
        do {
            for try await chunk in reading {
                let isOld = try chunk.bytes() == PatternBytes.bytes(in: chunk.range, seed: 1)
                #expect(isOld, "bytes of another version at \(chunk.range)")
                position = chunk.range.upperBound
                if position > 10 * PlayScene.second, failure == nil {
                    scene.server.set(
                        PlayScene.path,
                        .pattern(length: seconds * PlayScene.second, seed: 2)
                    )
                    scene.clock.advance(by: .seconds(6))
                }
            }
        } catch let error as SourceError {
            failure = error
        }
        #expect(failure?.code == .changed)
        let again = try await source.read(.span(0..<1_000))
        for try await chunk in again {
            let isNew = try chunk.bytes() == PatternBytes.bytes(in: chunk.range, seed: 2)
            #expect(isNew)
        }
        await scene.end()
    }

    @Test("pages of a folder are listed one at a time")
    func listing() async throws {
        let scene = try await PlayScene.make(seconds: 1)
        for index in 0..<2_000 {
            scene.server.set("/Many/\(index).mp3", .pattern(length: 1))
        }
        var names = Set<String>()
        var pages = 0
        for try await page in scene.storage.entries(in: try FolderPath("/Many/")) {
            pages += 1
            #expect(page.count <= 200)
            names.formUnion(page.map(\.name))
        }
        #expect(names.count == 2_000 && pages >= 10)
        await scene.end()
    }
}
