// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirProxy
import WeirTestKit
import WeirTestServers

@Suite("Defects of other loaders: one fetch for all", .timeLimit(.minutes(1)))
struct DefectSharingTests {
    /// A file; responses that cross byte 100,000 stop there until the gate opens.
    private static func scene(_ file: DefectFile, _ gate: Gate) async throws -> DefectScene {
        try await DefectScene { request in
            let range = (request.range ?? 0..<400_000).clamped(to: 0..<400_000)
            var steps = file.part(range)
            guard range.lowerBound < 100_000, range.upperBound > 100_000 else { return steps }
            let cut = Int(100_000 - range.lowerBound)
            if case .bytes(let bytes)? = steps.popLast() {
                steps += [
                    .bytes(Array(bytes[..<cut])), .hold(gate), .bytes(Array(bytes[cut...])),
                ]
            }
            return steps
        }
    }

    @Test("defect 11: sixteen players and a download of the whole fetch no byte twice")
    func shared() async throws {
        let (file, gate) = (DefectFile(), Gate())
        let scene = try await Self.scene(file, gate)
        let library = try scene.library { $0.load.prefetch = .whole }
        let media = try library.media(scene.url())
        let server = try await DefectScene.proxy(media)
        let port = server.port
        async let download = DefectScene.isRight(media, 0..<400_000, of: file.bytes)
        // The origin has stopped in the middle of its only response, and Weir has received the bytes before that
        // place.
        try await gate.waitForWaiters(1)
        for await now in media.availabilityChanges() where now.held.contains(99_999) { break }
        let players = (0..<16).map { number in
            Task {
                let start = number * 5000
                let client = try await PlainClient.connect(to: port)
                try await client.send("/song.mp3", ["Range: bytes=\(start)-"])
                // The client gets its first bytes while the origin is stopped.
                try await client.waitForBytes(1000)
                return client
            }
        }
        var clients: [PlainClient] = []
        for player in players { clients.append(try await player.value) }
        #expect(scene.origin.requests.count == 1)
        gate.open()
        for (number, client) in clients.enumerated() {
            let body = try await client.response().body
            let isRight = body.elementsEqual(file.bytes[(number * 5000)...])
            #expect(isRight, "player \(number)")
        }
        #expect(try await download)
        #expect(scene.origin.requests.count == 1)
        #expect(library.totals.snapshot.receivedBytes == 400_000)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("defect 11: requests that overlap fetch no byte twice, in whatever order they come")
    func overlapping() async throws {
        let (file, gate) = (DefectFile(), Gate())
        let scene = try await Self.scene(file, gate)
        let library = try scene.library()
        let media = try library.media(scene.url())
        let ranges: [Range<Int64>] = [
            0..<300_000, 50_000..<350_000, 99_999..<400_000, 0..<2, 20_000..<120_000,
        ]
        let first = Task { try await DefectScene.isRight(media, ranges[0], of: file.bytes) }
        // Weir has received all sent bytes: it would request a byte that is still on its way a second time.
        try await gate.waitForWaiters(1)
        for await now in media.availabilityChanges() where now.held.contains(99_999) { break }
        let readings = ranges.dropFirst().map { range in
            Task { try await DefectScene.isRight(media, range, of: file.bytes) }
        }
        gate.open()
        #expect(try await first.value)
        for reading in readings { #expect(try await reading.value) }
        #expect(library.totals.snapshot.receivedBytes == 400_000)
        // Weir does not request the held bytes again.
        let requests = scene.origin.requests.count
        for range in ranges {
            let isRight = try await DefectScene.isRight(media, range, of: file.bytes)
            #expect(isRight)
        }
        #expect(scene.origin.requests.count == requests)
        await library.close()
        await scene.end()
    }
}
