// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("Many listeners on many threads")
struct ListenerStormTests {
    private static var count: Int {
        TestLength.short(25, long: 1000)
    }

    /// A connection, with sound or without, that ends without waiting.
    private static func answer(_ number: Int, seed: UInt64) -> ScriptedAnswer {
        var generator = SeededGenerator(seed: seed &+ UInt64(number))
        let frames = NumberedFrames.frames(number..<number + 20)
        switch Int.random(in: 0...5, using: &generator) {
        case 0: return .fails(SourceError(.unreachable, "Gone."))
        case 1: return .answers([.bytes([1, 2, 3]), .bytes(frames)])
        case 2: return .answers([.bytes(frames), .bytes(TinyADTS.frames(0..<60))])
        default: return .answers(.init(repeating: .bytes(frames), count: 8))
        }
    }

    @Test(
        "join, move and leave in any order, and all have ended after the station is closed",
        arguments: UInt64(1)...4
    )
    func storm(seed: UInt64) async throws {
        var policy = ReconnectPolicy(delays: [])
        policy.refusalLimit = 1 << 20
        let transport = ScriptedTransport(clock: ContinuousClock()) { number, _ in
            Self.answer(number, seed: seed)
        }
        let station = Station(
            name: "Radio",
            transport: transport,
            options: StationOptions(timeShift: .zero, policy: policy, seed: seed)
        )
        let ended = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<6 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(lane))
                    for _ in 0..<Self.count {
                        let listener = station.listen(
                            from: Bool.random(using: &generator) ? .live : .behind(.seconds(5))
                        )
                        for _ in 0..<Int.random(in: 0...6, using: &generator) {
                            _ = try await listener.next()
                            if Int.random(in: 0...3, using: &generator) == 0 {
                                listener.move(toBehindLive: .seconds(1))
                            }
                            if Int.random(in: 0...9, using: &generator) == 0 {
                                station.pathChanged()
                            }
                            _ = (listener.behindLive, listener.rewindable, station.status)
                        }
                        if Bool.random(using: &generator) { listener.cancel() }
                    }
                }
            }
            for _ in 0..<3 {
                let listener = station.listen()
                group.addTask {
                    while try await listener.next() != nil {}
                    ended.update { $0 += 1 }
                }
            }
            // The six tasks whose listeners come and go end first; the other three end with the
            // station.
            for _ in 0..<6 { try await group.next() }
            #expect(ended.value == 0, "seed \(seed)")
            await station.close()
            try await group.waitForAll()
        }
        #expect(ended.value == 3, "seed \(seed)")
        #expect(transport.openCount == 0)
        #expect(station.status.phase == .ended)
    }
}
