// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("ScriptedSource", .timeLimit(.minutes(2)))
struct ScriptedSourceTests {
    private struct Fault: Error, Equatable {
        let number: Int
    }

    @Test("its log has the demands and the bytes that it gave out")
    func log() async throws {
        let source = ScriptedSource(length: 100_000, chunkSize: 10_000)
        _ = try await source.describe()
        let first = try await source.read(.span(0..<30_000))
        let iterator = first.makeAsyncIterator()
        _ = try await iterator.next()
        for try await _ in try await source.read(.from(85_000)) {}
        _ = try await iterator.next()
        let log = source.log
        #expect(log.descriptionCount == 1)
        #expect(log.demands.map(\.range) == [.span(0..<30_000), .from(85_000)])
        #expect(log.readings.map(\.handedOut) == [0..<20_000, 85_000..<100_000])
        #expect(log.readings.map(\.state) == [.running, .finished])
        #expect(log.mostRunningReadings == 2)
        #expect(log.chunkCount == 4)
        #expect(log.byteCount == 35_000)
        #expect(log.repeatedByteCount == 0)
        _ = try await source.read(.span(0..<5_000)).makeAsyncIterator().next()
        #expect(source.log.repeatedByteCount == 5_000)
    }

    @Test("it gives out only bytes that the reader pulled")
    func pull() async throws {
        let source = ScriptedSource(length: 100_000, chunkSize: 10_000)
        let reading = try await source.read(.whole)
        #expect(source.log.byteCount == 0)
        _ = try await reading.makeAsyncIterator().next()
        #expect(source.log.byteCount == 10_000)
    }

    @Test("a held reading stops at the byte and continues when the gate opens; others pass")
    func holds() async throws {
        let source = ScriptedSource(length: 100_000, chunkSize: 10_000)
        let gate = source.hold(before: 25_001)
        async let held: Int64 = {
            var count: Int64 = 0
            for try await chunk in try await source.read(.whole) { count += Int64(chunk.count) }
            return count
        }()
        try await gate.waitForWaiters(1)
        #expect(source.log.byteCount == 25_001)
        for try await _ in try await source.read(.from(25_002)) {}
        for try await _ in try await source.read(.span(20_000..<25_001)) {}
        gate.open()
        #expect(try await held == 100_000)
    }

    @Test("a held reading that is cancelled leaves, and the log says so")
    func departures() async throws {
        let source = ScriptedSource(length: 100_000)
        let gate = source.hold(before: 0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    for try await _ in try await source.read(.whole) {}
                }
            }
            try? await gate.waitForWaiters(1)
            group.cancelAll()
        }
        try await source.waitForDepartures(1)
        try await source.waitUntilIdle()
        #expect(source.log.readings.map(\.state) == [.left])
    }

    @Test("answers wait for their gate")
    func heldAnswers() async throws {
        let source = ScriptedSource(length: 10)
        let gate = source.holdAnswers()
        async let description = source.describe()
        async let reading = source.read(.whole)
        try await gate.waitForWaiters(2)
        #expect(source.log.readings.isEmpty)
        gate.open()
        #expect(try await description.length == 10)
        #expect(try await reading.upperBound == 10)
    }

    @Test("a failure comes at its byte, as often as it is scripted")
    func failures() async throws {
        let source = ScriptedSource(length: 50_000, chunkSize: 20_000)
        source.fail(at: 30_000, with: Fault(number: 1), times: 2)
        func readAll() async throws -> Int64 {
            var count: Int64 = 0
            do {
                for try await chunk in try await source.read(.whole) { count += Int64(chunk.count) }
            } catch let fault as Fault {
                #expect(fault.number == 1)
            }
            return count
        }
        #expect(try await readAll() == 30_000)
        #expect(try await readAll() == 30_000)
        #expect(try await readAll() == 50_000)
        #expect(source.log.readings.map(\.state) == [.failed, .failed, .finished])
        source.fail(at: 0, with: Fault(number: 1), times: nil)
        for _ in 0..<3 { #expect(try await readAll() == 0) }
        source.clearScript()
        #expect(try await readAll() == 50_000)
    }

    @Test("an answer is refused as often as it is scripted")
    func refusals() async throws {
        let source = ScriptedSource(length: 10)
        source.refuse(with: Fault(number: 2), times: 2)
        await #expect(throws: Fault(number: 2)) { try await source.describe() }
        await #expect(throws: Fault(number: 2)) { try await source.read(.whole) }
        #expect(try await source.read(.whole).upperBound == 10)
        #expect(source.log.demands.count == 2)
    }

    @Test(
        "a replaced resource refuses demands for the old version, and running readings follow the script"
    )
    func replacement() async throws {
        let source = ScriptedSource(length: 30_000, seed: 1, chunkSize: 10_000)
        let first = try await source.read(.whole)
        let iterator = first.makeAsyncIterator()
        _ = try await iterator.next()
        source.replace(with: ScriptedResource(length: 30_000, seed: 2))
        let second = try #require(try await iterator.next())
        #expect(try second.bytes() == PatternBytes.bytes(in: second.range, seed: 1))
        await #expect(throws: SourceError.self) {
            try await source.read(ReadDemand(.whole, version: first.resource.version))
        }
        let fresh = try #require(try await source.read(.whole).makeAsyncIterator().next())
        #expect(try fresh.bytes() == PatternBytes.bytes(in: fresh.range, seed: 2))
        source.replace(with: ScriptedResource(length: 9, seed: 3), running: .fail)
        await #expect(throws: SourceError.self) { try await iterator.next() }
        #expect(source.log.readings[0].state == .failed)
    }

    @Test("each wait returns as soon as its event has happened")
    func waits() async throws {
        let source = ScriptedSource(length: 100_000, chunkSize: 1_000)
        async let third: Void = source.waitForReads(3)
        async let bytes: Void = source.waitForBytes(150_000)
        for _ in 0..<3 { for try await _ in try await source.read(.whole) {} }
        try await third
        try await bytes
        #expect(source.log.byteCount == 300_000)
    }

    @Test("a resident source lends its held bytes and reports when it holds more")
    func resident() async throws {
        let resource = ScriptedResource(length: 1_000, seed: 4)
        let source = ResidentSource(resource, held: RangeSet(100..<200))
        #expect(source.residentSlice(.whole) == nil)
        let slice = try #require(source.residentSlice(.from(150)))
        #expect(slice.range == 150..<200)
        #expect(slice.resource.generation != nil)
        var changes = source.availabilityChanges().makeAsyncIterator()
        #expect(await changes.next()?.held == RangeSet(100..<200))
        source.hold(0..<100)
        #expect(await changes.next()?.held == RangeSet(0..<200))
        var kinds: [Bool] = []
        for try await chunk in try await source.read(.whole) {
            if case .resident = chunk.content { kinds.append(true) } else { kinds.append(false) }
        }
        #expect(kinds == [true, false])
    }
}
