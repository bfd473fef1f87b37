// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayerSimulation
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("An asset's loader")
struct AssetLoaderTests {
    @Test("fills in the information, gives two bytes, and goes on with the same reading")
    func start() async throws {
        let source = ScriptedSource(length: 300_000)
        let loader = AssetLoader.over(source)
        let description = try await loader.prepare()
        #expect(description.length == 300_000)
        let probe = RecordedRequest.probe()
        loader.ask(probe)
        try await probe.waitForEnd()
        #expect(probe.answer.value.ends == [.finished])
        #expect(probe.answer.value.information.map(\.length) == [300_000])
        #expect(probe.answer.value.countBeforeInformation == 0)
        #expect(probe.answer.value.bytes == PatternBytes.bytes(in: 0..<2))
        let all = RecordedRequest(0, 300_000, toTheEnd: true)
        loader.ask(all)
        try await all.waitForEnd()
        #expect(all.answer.value.ends == [.finished])
        #expect(PatternBytes.firstDifference(in: all.answer.value.bytes, at: 0) == nil)
        #expect(all.answer.value.bytes.count == 300_000)
        #expect(source.log.demands.count == 1)
        #expect(source.log.repeatedByteCount == 0)
        await loader.close()
    }

    @Test("a cancelled request ends its reading at the source, and gets nothing more")
    func cancelling() async throws {
        let source = ScriptedSource(length: 10_000_000)
        let loader = AssetLoader.over(source)
        let gate = source.hold(before: 1_000_000)
        let request = RecordedRequest(0, 10_000_000, toTheEnd: true, wantsInformation: true)
        loader.ask(request)
        try await gate.waitForWaiters(1)
        loader.cancel(request)
        try await source.waitForDepartures(1)
        gate.open()
        let next = RecordedRequest(9_999_000, 1000, toTheEnd: true)
        loader.ask(next)
        try await next.waitForEnd()
        #expect(request.answer.value.ends.isEmpty)
        #expect(request.answer.value.bytes.count <= 1_000_000)
        await loader.close()
    }

    @Test("of two requests for the same range, only the cancelled one ends")
    func identity() async throws {
        let source = ScriptedSource(length: 1_000_000)
        let loader = AssetLoader.over(source)
        let gate = source.hold(before: 200_000)
        let first = RecordedRequest(100_000, 200_000)
        let second = RecordedRequest(100_000, 200_000)
        loader.ask(first)
        loader.ask(second)
        try await gate.waitForWaiters(2)
        loader.cancel(first)
        try await source.waitForDepartures(1)
        gate.open()
        try await second.waitForEnd()
        #expect(second.answer.value.bytes.count == 200_000)
        #expect(first.answer.value.ends.isEmpty)
        await loader.close()
    }

    @Test(
        "when the asset is released every request ends, every reading stops, and later requests are refused"
    )
    func closing() async throws {
        let source = ScriptedSource(length: 10_000_000)
        let loader = AssetLoader.over(source)
        let gate = source.hold(before: 500_000)
        let request = RecordedRequest(0, 10_000_000, toTheEnd: true)
        loader.ask(request)
        try await gate.waitForWaiters(1)
        await loader.close()
        try await source.waitUntilIdle()
        try await request.waitForEnd()
        let late = RecordedRequest(0, 2)
        loader.ask(late)
        try await late.waitForEnd()
        let cancelled = RecordedRequest.End.failed(LoadingFailure.cancelled.bridged)
        #expect(request.answer.value.ends == [cancelled])
        #expect(late.answer.value.ends == [cancelled])
        gate.open()
    }

    @Test("a released loader ends its readings")
    func abandoning() async throws {
        let source = ScriptedSource(length: 10_000_000)
        var loader: AssetLoader? = AssetLoader.over(source)
        _ = try await loader?.prepare()
        #expect(source.log.readingCount(.running) == 1)
        loader = nil
        try await source.waitUntilIdle()
    }

    @Test("a source that cannot be read fails before there is a player")
    func refusal() async throws {
        let source = ScriptedSource(length: 100)
        source.refuse(with: SourceError(.notFound, "There is no such file."))
        let loader = AssetLoader.over(source)
        await #expect {
            _ = try await loader.prepare()
        } throws: { error in
            (error as? SourceError)?.code == .notFound
        }
        // The loader does not remember the failure: the next request asks the source again.
        let probe = RecordedRequest.probe()
        loader.ask(probe)
        try await probe.waitForEnd()
        #expect(probe.answer.value.ends == [.finished])
        await loader.close()
    }

    @Test(
        "a source that fails in mid-play fails the request with its public code, and the next request reads on"
    )
    func failure() async throws {
        let source = ScriptedSource(length: 1_000_000)
        let loader = AssetLoader.over(source)
        source.fail(at: 400_000, with: SourceError(.timedOut, "The origin took too long."))
        let request = RecordedRequest(0, 1_000_000, toTheEnd: true, wantsInformation: true)
        loader.ask(request)
        try await request.waitForEnd()
        #expect(
            request.answer.value.ends == [
                .failed(
                    LoadingFailure.source(SourceError(.timedOut, "The origin took too long."))
                        .bridged
                )
            ]
        )
        #expect(request.answer.value.bytes.count == 400_000)
        let rest = RecordedRequest(400_000, 600_000, toTheEnd: true)
        loader.ask(rest)
        try await rest.waitForEnd()
        #expect(rest.answer.value.ends == [.finished])
        #expect(PatternBytes.firstDifference(in: rest.answer.value.bytes, at: 400_000) == nil)
        await loader.close()
    }

    @Test("another version at the origin fails all requests, now and later, and is reported once")
    func change() async throws {
        let source = ScriptedSource(length: 1_000_000, seed: 1)
        let loader = AssetLoader.over(source)
        let events = loader.events()
        _ = try await loader.prepare()
        source.replace(with: ScriptedResource(length: 900_000, seed: 2))
        let tail = RecordedRequest(800_000, 200_000, toTheEnd: true)
        loader.ask(tail)
        try await tail.waitForEnd()
        let again = RecordedRequest(0, 2)
        loader.ask(again)
        try await again.waitForEnd()
        for request in [tail, again] {
            guard case .failed(let error) = try #require(request.answer.value.ends.first) else {
                Issue.record("a request was finished")
                continue
            }
            #expect(error.domain == "NSURLErrorDomain")
            #expect(request.answer.value.bytes.isEmpty)
        }
        await loader.close()
        #expect(await events.told() == ["changed"])
    }

    @Test("a player holds a bounded window of bytes, and gets as many new bytes as it releases")
    func window() async throws {
        let clock = ManualClock()
        let source = ScriptedSource(length: 64 << 20, chunkSize: 1 << 20)
        let loader = AssetLoader.over(source, clock: clock)
        let request = RecordedRequest(0, 64 << 20, toTheEnd: true, wantsInformation: true)
        loader.ask(request)
        try await request.waitForBytes(16 << 20)
        #expect(request.answer.value.bytes.count == 16 << 20)
        #expect(request.answer.value.largestPiece <= 512 << 10)
        request.release()
        try await request.waitForBytes(32 << 20)
        #expect(request.answer.value.bytes.count == 32 << 20)
        await loader.close()
    }

    @Test("a player that releases nothing gets another piece after each wait")
    func hoarding() async throws {
        let clock = ManualClock()
        let source = ScriptedSource(length: 64 << 20, chunkSize: 1 << 20)
        let loader = AssetLoader.over(source, clock: clock)
        let request = RecordedRequest(0, 64 << 20, toTheEnd: true, wantsInformation: true)
        loader.ask(request)
        try await request.waitForBytes(16 << 20)
        for piece in 1...3 {
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(50))
            try await request.waitForBytes((16 << 20) + piece * (512 << 10))
        }
        await loader.close()
    }

    @Test("reports to every listener once that everything is loaded")
    func events() async throws {
        let source = ScriptedSource(length: 100_000)
        let loader = AssetLoader.over(source)
        let others = loader.events()
        var events = loader.events().makeAsyncIterator()
        for _ in 1...2 {
            let request = RecordedRequest(0, 100_000, toTheEnd: true, wantsInformation: true)
            loader.ask(request)
            try await request.waitForEnd()
        }
        guard case .loadedWhole = await events.next() else {
            Issue.record("no event was reported")
            return
        }
        await loader.close()
        #expect(await events.next() == nil)
        #expect(await others.told() == ["whole"])
    }
}
