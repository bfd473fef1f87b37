// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAVFoundation
import WeirPlayerSimulation
import WeirSource

/// The player without the simulation, as another harness uses it.
@Suite("A simulated player, run step by step")
struct SimulatedPlayerTests {
    private static let medium = SimulatedMedium(length: 100)
    private static let information = ContentInformation(
        type: UniformType(identifier: "public.mp3"),
        length: 100
    )

    private static func script(_ steps: PlayerScript.Step...) -> PlayerScript {
        PlayerScript(name: "one", origin: "ours", length: 100, steps: steps)
    }

    private static func bytes(_ range: Range<Int64>) -> ByteMemory {
        ByteMemory(Self.medium.versions[0].bytes(in: range))
    }

    @Test("makes the next request when the last one has ended, and leaves at the end")
    func plays() throws {
        var player = SimulatedPlayer(Self.script(.probe, .span(2, 3)), media: [Self.medium])
        for action in player.started() { player.performed(action) }
        let probe = try #require(player.requests.first?.id)
        #expect(player.informed(probe, Self.information).isEmpty)
        #expect(player.received(probe, Self.bytes(0..<2)) == [.release(probe, 2, asset: 0)])
        let next = player.finished(probe)
        let span = try #require(player.requests.last)
        #expect(next == [.request(span, asset: 0)])
        for action in next { player.performed(action) }
        _ = player.received(span.id, Self.bytes(2..<5))
        #expect(player.finished(span.id).isEmpty)
        #expect(player.rested() == [.abandon(asset: 0)])
        #expect(player.isDone)
        #expect(player.violations.isEmpty)
    }

    @Test("takes bytes until its cancellation has been performed, and none after it")
    func cancels() throws {
        let script = Self.script(.rest(from: 0, .cancelled(after: 10)))
        var player = SimulatedPlayer(script, media: [Self.medium])
        for action in player.started() { player.performed(action) }
        let id = try #require(player.requests.first?.id)
        let cancel = SimulatedPlayer.Action.cancel(id, asset: 0)
        #expect(player.received(id, Self.bytes(0..<10)).contains(cancel))
        #expect(player.received(id, Self.bytes(10..<20)) == [.release(id, 10, asset: 0)])
        #expect(player.violations.isEmpty)
        player.performed(cancel)
        #expect(player.received(id, Self.bytes(20..<30)).isEmpty)
        #expect(player.violations.map(\.rule) == [.nothingAfterCancel])
    }

    @Test("reports a request that never ends")
    func waits() {
        var player = SimulatedPlayer(Self.script(.probe), media: [Self.medium])
        for action in player.started() { player.performed(action) }
        _ = player.rested()
        #expect(player.violations.map(\.rule) == [.ends])
    }

    @Test("excuses a failure only if the source was in trouble")
    func excuses() throws {
        let failure = LoadingFailure.source(
            SourceError(.unreachable, "The origin does not answer.")
        )
        for isTroubled in [true, false] {
            var player = SimulatedPlayer(Self.script(.probe), media: [Self.medium])
            for action in player.started() { player.performed(action) }
            let id = try #require(player.requests.first?.id)
            if isTroubled { player.troubled(.fails, asset: 0) }
            _ = player.failed(id, failure)
            #expect(player.violations.map(\.rule) == (isTroubled ? [] : [.failsForReason]))
        }
    }

    @Test("has content whose versions share no byte")
    func versions() {
        let one = SimulatedContent(length: 3_000_000, version: 0, start: 5)
        let other = SimulatedContent(length: 3_000_000, version: 1, start: 5)
        let range: Range<Int64> = 1_048_000..<1_049_000
        #expect(one.bytes(in: range).count == 1_000)
        #expect(zip(one.bytes(in: range), other.bytes(in: range)).allSatisfy { $0 != $1 })
        #expect(one.matches(ByteMemory(one.bytes(in: range)), at: range.lowerBound))
        #expect(!one.matches(ByteMemory(one.bytes(in: range)), at: range.lowerBound + 1))
        #expect(one.bytes(in: 2_999_990..<3_000_100).count == 10)
        #expect(one.bytes(from: 3_000_000, atMost: 10).count == 0)
    }
}
