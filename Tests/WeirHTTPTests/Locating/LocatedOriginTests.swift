// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("An origin with addresses from a locator")
struct LocatedOriginTests {
    /// Returns one address after the other, and rules on refusals as a test chooses.
    private final class Locator: OriginLocator {
        struct State: Sendable {
            var asked: [RequestedRange] = []
            var refused: [Int?] = []
            var refusals: [OriginFailure] = []
            var flows = 0
            var serial = 1
        }

        let resource = ResourceName(display: "cloud:/a.mp3", authority: "cloud", fileName: "a.mp3")
        let rulesOnRefusals: Bool
        let state = Watched(State())
        private let described: @Sendable (Int) -> ResourceDescription?
        private let gate: Gate
        private let rule: @Sendable (OriginFailure) -> FailureRuling

        init(
            described: @escaping @Sendable (Int) -> ResourceDescription? = { _ in nil },
            gate: Gate = Gate(isOpen: true),
            rule: (@Sendable (OriginFailure) -> FailureRuling)? = nil
        ) {
            self.described = described
            self.gate = gate
            self.rulesOnRefusals = rule != nil
            self.rule = rule ?? { _ in .standard }
        }

        func location(for range: RequestedRange, after refused: OriginLocation?) async throws
            -> OriginLocation
        {
            let serial = self.state.update { state in
                state.asked.append(range)
                state.refused.append(refused?.serial)
                if refused?.serial == state.serial { state.serial += 1 }
                return state.serial
            }
            try await self.gate.wait()
            return OriginLocation(
                url: try OriginURL("https://link.test/\(serial)/s3cret?sig=s3cret"),
                headers: HTTPHeaderList([try HTTPHeader(name: "X-Link", value: "\(serial)")]),
                resource: self.described(serial),
                serial: serial
            )
        }

        func describe() async throws -> ResourceDescription? {
            self.described(self.state.value.serial)
        }

        func ruling(on refusal: OriginFailure) async -> FailureRuling {
            self.state.update { $0.refusals.append(refusal) }
            return self.rule(refusal)
        }

        func bytesFlow() {
            self.state.update { $0.flows += 1 }
        }
    }

    private static let file = ScriptedFile()
    private static let whole = PatternBytes.bytes(in: 0..<10_000, seed: 1)
    private let clock = ManualClock()

    private func origin(_ locator: Locator, _ transport: ScriptedTransport, log: EventLog? = nil)
        -> HTTPOrigin
    {
        HTTPOrigin(
            locator: locator,
            options: plainOptions,
            transport: transport,
            clock: self.clock,
            observer: log?.observer
        )
    }

    @Test(
        "uses another address when the first has expired",
        arguments: [401, 403, 410]
    )
    func relocates(_ status: Int) async throws {
        let locator = Locator(rule: { _ in
            .locateAnew(otherwise: SourceError(.notFound, "No other for cloud:/a.mp3."))
        })
        let transport = ScriptedTransport { request, _ in
            request.url.path.hasPrefix("/1/")
                ? .answer(status, [("X", "y")], Array("gone".utf8)) : Self.file.reply(to: request)
        }
        let bytes = try await self.origin(locator, transport).read(.init(.whole)).collect()
        #expect(bytes == Self.whole)
        let state = locator.state.value
        #expect(state.refused == [nil, 1])
        let refusal = try #require(state.refusals.first)
        #expect(refusal.status == status && refusal.isDirect && refusal.repetition == 1)
        #expect(refusal.body == Array("gone".utf8) && refusal.headers["X"] == "y")
        #expect(transport.requests.map { $0.headers["X-Link"] } == ["1", "2"])
    }

    @Test("repeats the request after a 500, and uses another address after a second one")
    func relocatesAfterRepetition() async throws {
        let locator = Locator(rule: {
            $0.repetition > 1
                ? .locateAnew(otherwise: SourceError(.notFound, "No other for cloud:/a.mp3."))
                : .standard
        })
        let transport = ScriptedTransport { request, _ in
            request.url.path.hasPrefix("/1/") ? .answer(500) : Self.file.reply(to: request)
        }
        async let bytes = self.origin(locator, transport).read(.init(.whole)).collect()
        try await self.clock.pass(.milliseconds(250))
        #expect(try await bytes == Self.whole)
        #expect(locator.state.value.refused == [nil, nil, 1])
        #expect(locator.state.value.refusals.map(\.repetition) == [1, 2])
    }

    @Test("gives up when the third address is refused, too")
    func givesUp() async throws {
        let locator = Locator(rule: { _ in
            .locateAnew(otherwise: SourceError(.notFound, "No other for cloud:/a.mp3."))
        })
        let transport = ScriptedTransport(.answer(410))
        let error = await sourceError {
            _ = try await self.origin(locator, transport).read(.init(.whole))
        }
        #expect(error?.code == .notFound && error?.message.contains("s3cret") == false)
        #expect(error?.message.contains("cloud:/a.mp3") == true)
        #expect(locator.state.value.refused == [nil, 1, 2] && transport.requests.count == 3)
    }

    @Test("gives up where the locator says so, whatever the status")
    func isFinal() async throws {
        let locator = Locator(rule: { _ in .refused(SourceError(.throttled, "No more.")) })
        let transport = ScriptedTransport(.answer(503))
        let error = await sourceError {
            _ = try await self.origin(locator, transport).read(.init(.whole))
        }
        #expect(error?.message == "No more." && transport.requests.count == 1)
    }

    @Test("asks the locator once for each request, and reports flowing bytes")
    func asksOncePerRequest() async throws {
        let locator = Locator()
        let transport = ScriptedTransport { request, index in
            Self.file.reply(to: request, limit: index == 0 ? 3_000 : .max)
        }
        async let bytes = self.origin(locator, transport).read(.init(.whole)).collect()
        try await self.clock.pass(.milliseconds(250))
        #expect(try await bytes == Self.whole)
        let state = locator.state.value
        #expect(state.asked == [.from(0), .span(3_000..<10_000)])
        #expect(transport.requests.count == 2)
        #expect(state.flows == 10)
    }

    @Test("lets a cancelled reader go at once while the locator works")
    func letsLeave() async throws {
        let locator = Locator(gate: Gate())
        let transport = ScriptedTransport(.answer(200))
        let origin = self.origin(locator, transport)
        let reader = Task { try await origin.read(.init(.whole)) }
        try await locator.state.wait { $0.asked.count == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { _ = try await reader.value }
        #expect(transport.requests.isEmpty)
    }

    @Test("lets a cancelled reading go at once while the locator works on the rest")
    func letsReadingLeave() async throws {
        let gate = Gate(isOpen: true)
        let locator = Locator(gate: gate)
        let transport = ScriptedTransport { request, _ in
            Self.file.reply(to: request, limit: 1_000)
        }
        let iterator = try await self.origin(locator, transport).read(.init(.whole))
            .makeAsyncIterator()
        #expect(try await iterator.next()?.count == 1_000)
        gate.close()
        let next = Task { try await iterator.next() }
        try await self.clock.pass(.milliseconds(250))
        try await locator.state.wait { $0.asked.count == 2 }
        iterator.cancel()
        await #expect(throws: CancellationError.self) { _ = try await next.value }
    }

    @Test("describes with the service's description, without a request")
    func describesByWord() async throws {
        let known = ResourceDescription(length: 10_000, validator: .revision("r1"), name: "a.mp3")
        let transport = ScriptedTransport(.answer(500))
        let origin = self.origin(Locator(described: { _ in known }), transport)
        #expect(try await origin.describe() == known)
        #expect(try await origin.isUnchanged(known.version))
        #expect(
            try await !origin.isUnchanged(
                ReadDemand.Version(validator: .revision("r0"), length: 10_000)
            )
        )
        #expect(transport.requests.isEmpty)
    }

    @Test("gives its bytes under the service's validator")
    func vouches() async throws {
        let known = ResourceDescription(length: 10_000, validator: .revision("r1"))
        let transport = ScriptedTransport { request, _ in Self.file.reply(to: request) }
        let reading = try await self.origin(Locator(described: { _ in known }), transport)
            .read(ReadDemand(.whole, version: known.version))
        #expect(reading.resource.validator == .revision("r1"))
        #expect(try await reading.collect() == Self.whole)
        let shorter = ResourceDescription(length: 9_999, validator: .revision("r1"))
        let error = await sourceError {
            _ = try await self.origin(Locator(described: { _ in shorter }), transport)
                .read(.init(.whole))
        }
        #expect(error?.code == .changed)
    }

    @Test("gives no byte of another generation after a change between two links")
    func noticesChange() async throws {
        let locator = Locator(
            described: { ResourceDescription(length: 10_000, validator: .revision("r\($0)")) },
            rule: { _ in
                .locateAnew(otherwise: SourceError(.notFound, "No other for cloud:/a.mp3."))
            }
        )
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: Self.file.reply(to: request, limit: 3_000)
            case 1: .answer(410)
            default: Self.file.reply(to: request)
            }
        }
        let origin = self.origin(locator, transport)
        let received = Watched(0)
        async let error = sourceError {
            for try await chunk in try await origin.read(.init(.whole)) {
                received.update { $0 += chunk.count }
            }
        }
        try await self.clock.pass(.milliseconds(250))
        #expect(await error?.code == .changed)
        #expect(received.value == 3_000 && transport.requests.count == 2)
    }

    @Test("shows neither path nor query of a link")
    func hidesLinks() async throws {
        let log = EventLog()
        let transport = ScriptedTransport { request, _ in
            request.url.host == "link.test"
                ? .answer(302, [("Location", "https://cdn.test/s3cret")])
                : Self.file.reply(to: request)
        }
        let locator = Locator()
        _ = try await self.origin(locator, transport, log: log).read(.init(.whole)).collect()
        #expect(log.lines.value.contains("redirected https://link.test/… https://cdn.test/…"))
        #expect(!log.lines.value.contains { $0.contains("s3cret") })
        #expect(transport.requests[1].headers["X-Link"] == nil)
        let location = try await locator.location(for: .whole, after: nil)
        #expect(!"\(location)".contains("s3cret"))
        var dumped = ""
        dump(location, to: &dumped)
        #expect(!dumped.contains("sig=s3cret"))
    }
}
