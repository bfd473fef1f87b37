// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirCache
import WeirProxy
import WeirTestKit
import WeirTestServers

@Suite("Complaints about other loaders: the cache", .timeLimit(.minutes(5)))
struct ComplaintCacheTests {
    /// Sends the requests that a player sends before and while it plays.
    private static func play(_ port: Int) async throws -> [UInt8] {
        _ = try await PlainClient.ask(port, method: "HEAD")
        _ = try await PlainClient.ask(port, fields: ["Range: bytes=0-1"])
        _ = try await PlainClient.ask(port, fields: ["Range: bytes=399000-"])
        return try await PlainClient.ask(port, fields: ["Range: bytes=0-399999"]).body
    }

    @Test("complaint: wholly held media play without one request to the origin")
    func offline() async throws {
        let file = DefectFile()
        let scene = try await DefectScene(file)
        let first = try scene.library()
        _ = try await DefectScene.isRight(
            try first.media(scene.url()),
            0..<400_000,
            of: file.bytes
        )
        await first.close()
        let before = scene.origin.requests.count
        // The origin is up in the first round, must not be asked in the second, and is gone in the third.
        for stretch in 0..<3 {
            let library = try scene.library { $0.isOffline = stretch == 1 }
            let server = try await DefectScene.proxy(try library.media(scene.url()))
            let isRight = try await Self.play(server.port) == file.bytes
            #expect(isRight, "stretch \(stretch)")
            #expect(library.totals.snapshot.requests == 0)
            await server.shutdown()
            await library.close()
            #expect(scene.origin.requests.count == before)
            if stretch == 1 { await scene.end() }
        }
    }

    @Test("complaint: clearing the cache during playback neither ends nor breaks anything")
    func clearing() async throws {
        let (file, gate) = (DefectFile(), Gate())
        let scene = try await DefectScene { request in
            let lower = request.range?.lowerBound ?? 0
            guard lower < 100_000 else { return file.answer(request) }
            let steps = file.part(lower..<400_000)
            guard case .bytes(let bytes)? = steps.last else { return steps }
            let cut = Int(100_000 - lower)
            return [
                steps[0], .bytes(Array(bytes[..<cut])), .hold(gate), .bytes(Array(bytes[cut...])),
            ]
        }
        let library = try scene.library()
        let media = try library.media(scene.url())
        let server = try await DefectScene.proxy(media)
        let player = try await PlainClient.connect(to: server.port)
        try await player.send("/song.mp3", ["Range: bytes=0-"])
        try await player.waitForBytes(50_000)
        try await library.removeAll()
        gate.open()
        let isRight = try await player.response().body == file.bytes
        #expect(isRight)
        // The next player is served, too, and the held bytes are right.
        let isStillRight = try await DefectScene.isRight(media, 0..<400_000, of: file.bytes)
        #expect(isStillRight)
        try await library.removeAll()
        #expect(try await library.resources().isEmpty)
        let next = try await Self.play(server.port) == file.bytes
        #expect(next)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("complaint: the first bytes play before the rest has come")
    func streaming() async throws {
        let (file, gate) = (DefectFile(), Gate())
        let scene = try await DefectScene { request in
            let steps = file.answer(request)
            guard case .bytes(let bytes)? = steps.last, bytes.count > 100_000 else { return steps }
            return [
                steps[0], .bytes(Array(bytes[..<100_000])), .hold(gate),
                .bytes(Array(bytes[100_000...])),
            ]
        }
        let library = try scene.library()
        let server = try await DefectScene.proxy(try library.media(scene.url()))
        let player = try await PlainClient.connect(to: server.port)
        try await player.send("/song.mp3", ["Range: bytes=0-"])
        try await player.waitForBytes(100_000)
        try await gate.waitForWaiters(1)
        gate.open()
        let isRight = try await player.response().body == file.bytes
        #expect(isRight)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("complaint: a file with seeks all over is complete in the end, without a hole")
    func gaps() async throws {
        let file = DefectFile(length: 3_000_000)
        let scene = try await DefectScene(file)
        let library = try scene.library { $0.load.prefetch = .whole }
        let media = try library.media(scene.url())
        let changes = media.availabilityChanges()
        let ranges: [Range<Int64>] = [2_900_000..<2_900_100, 1_000_000..<1_000_001, 0..<2]
        for range in ranges {
            let isRight = try await DefectScene.isRight(media, range, of: file.bytes)
            #expect(isRight)
        }
        for await change in changes where change.isComplete { break }
        let resource = try #require(try await library.resources().first)
        #expect(resource.isComplete)
        let path = scene.folder.path(of: "song.mp3")
        #expect(
            try await library.export(identifier: resource.identifier, to: path) == 3_000_000
        )
        await media.close()
        let held = RangeSet<Int64>(0..<3_000_000)
        let wrong = try DefectScene.firstWrongByte(
            onDisk: scene.folder.path,
            held,
            of: file.bytes
        )
        #expect(wrong == nil)
        await library.close()
        await scene.end()
    }

    @Test("complaint: a file held in hundreds of pieces plays without a deep stack")
    func pieces() async throws {
        let file = DefectFile(length: 1_000_000)
        let scene = try await DefectScene(file)
        let library = try scene.library { $0.load.readAhead = 0 }
        let media = try library.media(scene.url())
        for number in stride(from: Int64(0), to: 1_000_000, by: 2500) {
            for try await _ in try await media.read(.span(number..<number + 1)) {}
        }
        #expect(media.availability.held.ranges.count == 400)
        let isRight = try await DefectScene.isRight(media, 0..<1_000_000, of: file.bytes)
        #expect(isRight)
        #expect(library.totals.snapshot.receivedBytes == 1_000_000)
        await library.close()
        await scene.end()
    }
}
