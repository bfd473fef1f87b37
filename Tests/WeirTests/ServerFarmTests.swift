// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Weir
import WeirHTTP
import WeirProxy
import WeirSource
import WeirTestKit
import WeirTestServers

/// Several servers behind one address.
///
/// Each server has its own entity tag for the file. A seed decides which server responds.
private final class ServerFarm: Sendable {
    private struct State {
        var generator: SeededGenerator
        var answered: [Int] = []
    }

    static let length: Int64 = 60_000
    private static let days = ["Sun, 01", "Mon, 02", "Tue, 03"]
    private static let answered = "Date: Sat, 28 Nov 2026 12:00:00 GMT"

    let files: [DefectFile]
    private let state: Mutex<State>

    /// - Parameters:
    ///   - seed: decides which server responds.
    ///   - isSame: whether all servers have the same bytes and date; otherwise each has its own.
    init(seed: UInt64, isSame: Bool) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...3, using: &generator)
        self.files = (1...count).map { number in
            var file = DefectFile(length: Self.length, seed: isSame ? 1 : UInt64(number))
            file.entityTag = "\"server-\(number)\""
            let day = Self.days[isSame ? 0 : number - 1]
            file.fields = ["Last-Modified: \(day) Nov 2026 12:00:00 GMT", Self.answered]
            return file
        }
        self.state = Mutex(State(generator: generator))
    }

    /// The servers that have responded, in order.
    var answered: [Int] { self.state.withLock { $0.answered } }

    func answer(_ request: ScriptedServer.Request) -> [ScriptedServer.Step] {
        let server = self.state.withLock { state in
            let server = Int.random(in: self.files.indices, using: &state.generator)
            state.answered.append(server)
            return server
        }
        return self.files[server].answer(request)
    }
}

@Suite("A farm of servers with entity tags of their own", .timeLimit(.minutes(2)))
struct ServerFarmTests {
    private static let reads: [Range<Int64>] = [
        0..<2, 0..<ServerFarm.length, (ServerFarm.length - 1000)..<ServerFarm.length,
    ]

    private static func ask(_ server: ProxyServer, _ range: Range<Int64>) async throws
        -> PlainClient.Response
    {
        // AVPlayer asks for two bytes first, and then for all bytes to the end.
        let end = range.upperBound == ServerFarm.length ? "" : "\(range.upperBound - 1)"
        return try await PlainClient.ask(
            server.port,
            fields: ["Range: bytes=\(range.lowerBound)-\(end)"]
        )
    }

    /// Plays as a player does, and checks that each response is complete and comes from one
    /// version.
    ///
    /// - Returns: the count of requests for each read, and the count that each read needs. A read
    ///   of held bytes needs none. Other reads need one request. With a strong validator, they need
    ///   a second one if the responding server has another version than the held bytes.
    private static func play(
        _ farm: ServerFarm,
        _ reads: [Range<Int64>],
        seed: UInt64,
        validator: ValidatorPolicy
    ) async throws -> (sent: [Int], needed: [Int]) {
        let scene = try await DefectScene { farm.answer($0) }
        let library = try scene.library { $0.validator = validator }
        let server = try await DefectScene.proxy(try library.media(scene.url()))
        var (sent, needed): ([Int], [Int]) = ([], [])
        var version: Int?
        var held = RangeSet<Int64>()
        for range in reads {
            let before = farm.answered.count
            let response = try await Self.ask(server, range)
            let answered = farm.answered[before...]
            let isOfOne = farm.files.contains { file in
                file.bytes[Int(range.lowerBound)..<Int(range.upperBound)].elementsEqual(
                    response.body
                )
            }
            #expect(response.status == 206 && isOfOne, "seed \(seed), \(range)")
            sent.append(answered.count)
            let isHeld = held.firstMissing(in: range) == nil
            let isOther = validator == .strong && version != nil && answered.first != version
            needed.append(isHeld ? 0 : isOther ? 2 : 1)
            guard !isHeld else { continue }
            if isOther { held = RangeSet() }
            held.insert(contentsOf: range)
            version = answered.last
        }
        await server.shutdown()
        await library.close()
        await scene.end()
        return (sent, needed)
    }

    @Test(
        "gives a probing player the whole and its end, each from one server",
        arguments: 0..<TestLength.short(30, long: 120) as Range<UInt64>
    )
    func probes(_ seed: UInt64) async throws {
        let farm = ServerFarm(seed: seed, isSame: seed.isMultiple(of: 2))
        var generator = SeededGenerator(seed: seed)
        // Seeds below 60 use AVPlayer's order of reads; the other seeds use four random reads.
        let others = (0..<4).compactMap { _ in Self.reads.randomElement(using: &generator) }
        let reads = seed < 60 ? Self.reads : others
        let (sent, needed) = try await Self.play(farm, reads, seed: seed, validator: .strong)
        #expect(sent == needed, "seed \(seed): \(reads) were answered by \(farm.answered)")
    }

    @Test(
        "counts as one server if length and date are the identity, and costs no more than one",
        arguments: 0..<40 as Range<UInt64>
    )
    func isOne(_ seed: UInt64) async throws {
        let farm = ServerFarm(seed: seed, isSame: true)
        let (sent, _) = try await Self.play(farm, Self.reads, seed: seed, validator: .modified)
        #expect(sent == [1, 1, 0], "seed \(seed): answered by \(farm.answered)")
    }

    @Test(
        "counts as several if the dates differ, and no answer mixes two",
        arguments: 0..<40 as Range<UInt64>
    )
    func isSeveral(_ seed: UInt64) async throws {
        let farm = ServerFarm(seed: seed, isSame: false)
        _ = try await Self.play(farm, Self.reads, seed: seed, validator: .modified)
        #expect(farm.answered.count <= 3, "seed \(seed): answered by \(farm.answered)")
    }

    @Test(
        "counts as one for a medium whose request says so, whatever the library says",
        arguments: 0..<10 as Range<UInt64>
    )
    func request(_ seed: UInt64) async throws {
        let farm = ServerFarm(seed: seed, isSame: true)
        let scene = try await DefectScene { farm.answer($0) }
        let library = try scene.library()
        let media = library.media(MediaRequest(url: try scene.url(), validator: .modified))
        for range in Self.reads {
            let isRight = try await DefectScene.isRight(media, range, of: farm.files[0].bytes)
            #expect(isRight, "seed \(seed)")
        }
        #expect(farm.answered.count == 2, "seed \(seed)")
        let condition = scene.origin.requests.last?.headers["if-range"]
        #expect(condition == nil, "a date is no condition where a tag is named (RFC 9110 §13.1.5)")
        await library.close()
        await scene.end()
    }
}
