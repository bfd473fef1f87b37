// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("The locator of a cloud's file")
struct CloudLocatorTests {
    private let clock = ManualClock()

    private func locator(_ service: ScriptedService, _ observer: SourceObserver? = nil) throws
        -> CloudLocator
    {
        CloudLocator(
            service,
            path: try FolderPath("/Music/a.mp3/"),
            clock: self.clock,
            observer: observer
        )
    }

    private func path(_ locator: CloudLocator, after refused: OriginLocation? = nil) async throws
        -> String
    {
        try await locator.location(for: .whole, after: refused).url.path
    }

    /// Lets started tasks run until their effect makes a condition true.
    private func settle(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Lets other tasks run, in case there are tasks that should not exist.
    private func linger() async { for _ in 0..<200 { await Task.yield() } }

    @Test("asks once for any number of readers")
    func asksOnce() async throws {
        let gate = Gate()
        let service = ScriptedService { number in
            try await gate.wait()
            return try ScriptedService.link(number, lasting: 3600)
        }
        let locator = try self.locator(service)
        let readers = (0..<50).map { _ in Task { try await self.path(locator) } }
        try await service.state.wait { $0.ranges.count == 1 }
        gate.open()
        for reader in readers { #expect(try await reader.value == "/1") }
        #expect(try await self.path(locator) == "/1")
        #expect(service.count == 1 && service.state.value.paths == ["/Music/a.mp3"])
        #expect(locator.resource.display == "cloud:/Music/a.mp3/")
        #expect(locator.resource.fileName == "a.mp3" && locator.resource.authority == "cloud.test")
    }

    @Test("asks for no link for a minute after a final refusal of the credential")
    func pausesAfterRefusal() async throws {
        let service = ScriptedService(locatesEachRequest: true) {
            try ScriptedService.link($0, lasting: nil)
        }
        let locator = try self.locator(service)
        let location = try await locator.location(for: .whole, after: nil)
        _ = await locator.ruling(
            on: OriginFailure(
                location: location,
                isDirect: true,
                status: 401,
                headers: HTTPHeaderList(),
                body: [],
                repetition: 1
            )
        )
        for _ in 0..<3 {
            let error = await thrownError { _ = try await self.path(locator) }
            #expect(error?.code == .unauthorized)
            self.clock.advance(by: .seconds(19))
        }
        #expect(service.count == 1)
        self.clock.advance(by: .seconds(3))
        #expect(try await self.path(locator) == "/2")
    }

    @Test("does not use an expired link")
    func leavesExpired() async throws {
        let service = ScriptedService { try ScriptedService.link($0, lasting: 10) }
        let locator = try self.locator(service)
        #expect(try await self.path(locator) == "/1")
        // The margin for a request is a tenth of the link's life, two seconds at most: one second
        // for this link.
        self.clock.advance(by: .seconds(9))
        #expect(try await self.path(locator) == "/2")
        #expect(service.count == 2)
    }

    @Test("uses a link without an end until it is refused")
    func keepsEndless() async throws {
        let service = ScriptedService { try ScriptedService.link($0, lasting: nil) }
        let locator = try self.locator(service)
        let first = try await locator.location(for: .whole, after: nil)
        self.clock.advance(by: .seconds(1_000_000))
        locator.bytesFlow()
        #expect(try await self.path(locator) == "/1")
        #expect(try await self.path(locator, after: first) == "/2")
        #expect(service.state.value.refused == [nil, first.serial])
    }

    @Test("counts a link's lifetime from its request")
    func countsFromRequest() async throws {
        let gate = Gate()
        let service = ScriptedService { number in
            if number == 1 { try await gate.wait() }
            return try ScriptedService.link(number, lasting: 10)
        }
        let locator = try self.locator(service)
        let first = Task { try await self.path(locator) }
        try await service.state.wait { $0.ranges.count == 1 }
        self.clock.advance(by: .seconds(8))
        gate.open()
        #expect(try await first.value == "/1")
        self.clock.advance(by: .seconds(1))
        #expect(try await self.path(locator) == "/2")
    }

    @Test("renews a link ahead of its end while bytes flow, and no reader waits for it")
    func renewsAhead() async throws {
        let events = Watched<[String]>([])
        let gate = Gate()
        let service = ScriptedService { number in
            if number == 2 { try await gate.wait() }
            return try ScriptedService.link(number, lasting: 14_400)
        }
        let locator = try self.locator(service) { event in
            if case .linkRenewed(let host) = event { events.update { $0.append(host) } }
        }
        #expect(try await self.path(locator) == "/1")
        self.clock.advance(by: .seconds(14_400 - 301))
        locator.bytesFlow()
        await self.linger()
        #expect(service.count == 1)
        self.clock.advance(by: .seconds(1))
        for _ in 0..<100 { locator.bytesFlow() }
        try await service.state.wait { $0.ranges.count == 2 }
        #expect(try await self.path(locator) == "/1")
        gate.open()
        try await self.settle { events.value.count == 1 }
        #expect(try await self.path(locator) == "/2")
        #expect(service.count == 2 && events.value == ["link.test"])
    }

    @Test(
        "keeps a valid link when its renewal fails, and does not try again with each chunk"
    )
    func survivesFailedRenewal() async throws {
        let failures = Watched(0)
        let service = ScriptedService { number in
            guard number == 1 || number > 4 else {
                failures.update { $0 += 1 }
                throw SourceError(.originFailed, "no")
            }
            return try ScriptedService.link(number, lasting: 100)
        }
        let locator = try self.locator(service)
        #expect(try await self.path(locator) == "/1")
        self.clock.advance(by: .seconds(80))
        locator.bytesFlow()
        try await failures.wait { $0 == 1 }
        for _ in 0..<1000 { locator.bytesFlow() }
        #expect(try await self.path(locator) == "/1")
        await self.linger()
        #expect(service.count == 2)
        // Only one renewal runs at a time. The request of `describe` fails, too; after it, no
        // renewal is running.
        await #expect(throws: SourceError.self) { try await locator.describe() }
        #expect(service.count == 3)
        self.clock.advance(by: .seconds(1))
        locator.bytesFlow()
        try await failures.wait { $0 == 3 }
        #expect(try await self.path(locator) == "/1")
        self.clock.advance(by: .seconds(17))
        #expect(try await self.path(locator) == "/5")
    }

    @Test("replaces a refused link once for all readers, and only that one")
    func replacesOnce() async throws {
        let gate = Gate()
        let service = ScriptedService { number in
            if number == 2 { try await gate.wait() }
            return try ScriptedService.link(number, lasting: 3600)
        }
        let locator = try self.locator(service)
        let first = try await locator.location(for: .whole, after: nil)
        let readers = (0..<50).map { _ in Task { try await self.path(locator, after: first) } }
        try await service.state.wait { $0.ranges.count == 2 }
        gate.open()
        for reader in readers { #expect(try await reader.value == "/2") }
        // This reader is late: the locator replaced its link long ago.
        #expect(try await self.path(locator, after: first) == "/2")
        #expect(service.count == 2)
        let second = try await locator.location(for: .whole, after: nil)
        #expect(second.serial > first.serial)
        #expect(try await self.path(locator, after: second) == "/3")
    }

    @Test("lets a cancelled caller go at once, and harms no other")
    func letsLeave() async throws {
        let gate = Gate()
        let service = ScriptedService { number in
            try await gate.wait()
            return try ScriptedService.link(number, lasting: 3600)
        }
        let locator = try self.locator(service)
        let leaving = Task { try await self.path(locator) }
        try await service.state.wait { $0.ranges.count == 1 }
        let staying = Task { try await self.path(locator) }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == "/1")
        #expect(service.count == 1)
    }

    @Test("gives a failure to all waiting callers, and tries again for the next")
    func tellsFailure() async throws {
        let service = ScriptedService { number in
            guard number > 1 else { throw SourceError(.notFound, "gone") }
            return try ScriptedService.link(number, lasting: 3600)
        }
        let locator = try self.locator(service)
        let error = await thrownError { _ = try await self.path(locator) }
        #expect(error?.message == "gone")
        #expect(try await self.path(locator) == "/2")
    }

    @Test("hands out a link that the service calls expired, but does not keep it")
    func handsOutDead() async throws {
        let service = ScriptedService { try ScriptedService.link($0, lasting: -5) }
        let locator = try self.locator(service)
        #expect(try await self.path(locator) == "/1")
        #expect(try await self.path(locator) == "/2")
    }

    @Test("asks for a location for each request if the service signs each request, and keeps none")
    func asksForEach() async throws {
        let service = ScriptedService(describesBytes: false, locatesEachRequest: true) {
            try ScriptedService.link($0, lasting: 3600)
        }
        let locator = try self.locator(service)
        let first = try await locator.location(for: .span(0..<2), after: nil)
        #expect(first.url.path == "/1")
        #expect(try await locator.location(for: .from(7), after: first).url.path == "/2")
        #expect(service.state.value.ranges == [.span(0..<2), .from(7)])
        #expect(service.state.value.refused == [nil, first.serial])
        #expect(try await locator.describe() == nil && service.count == 2)
    }

    @Test("asks again for a description, and keeps the link that comes with it")
    func describes() async throws {
        let service = ScriptedService { try ScriptedService.link($0, lasting: 3600) }
        let locator = try self.locator(service)
        #expect(try await locator.describe()?.length == 5)
        #expect(try await self.path(locator) == "/1")
        #expect(try await locator.describe()?.validator == .revision("r"))
        #expect(try await self.path(locator) == "/2" && service.count == 2)
    }

    @Test("leaves the ruling on a refusal to the service")
    func leavesRuling() async throws {
        let locator = try self.locator(
            ScriptedService { try ScriptedService.link($0, lasting: nil) }
        )
        let location = try await locator.location(for: .whole, after: nil)
        let refusal = OriginFailure(
            location: location,
            isDirect: true,
            status: 429,
            headers: HTTPHeaderList(),
            body: [],
            repetition: 1
        )
        guard case .transient(after: .seconds(429)) = await locator.ruling(on: refusal) else {
            Issue.record("another ruling")
            return
        }
        #expect(locator.rulesOnRefusals)
    }
}
