// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("One process owns a cache, the others play through it", .timeLimit(.minutes(1)))
struct TakeoverTests {
    private static let length: Int64 = 3 << 20
    private static func resource(seed: UInt64 = 1) -> ScriptedResource {
        ScriptedResource(length: Self.length, seed: seed)
    }
    private static let expected = ReadBytes(PatternBytes.bytes(in: 0..<length))

    @Test("bytes that one process fetches are available to the other, whichever owns the directory")
    func shares() async throws {
        let scene = try await SharingScene(Self.resource())
        #expect(scene.user.owner == nil)
        #expect(try await SharingScene.bytes(scene.source) == Self.expected)
        #expect(scene.origin.log.byteCount == Self.length)
        let other = ScriptedSource(Self.resource())
        let own = SharingScene.source(other, scene.owner)
        #expect(try await SharingScene.bytes(own) == Self.expected)
        #expect(other.log.byteCount == 0)
        // The list comes after the disk has taken all bytes.
        _ = try await scene.owner.perform(.list)
        #expect(own.residentSlice(.whole)?.range == 0..<Self.length)
        await scene.close()
    }

    @Test(
        "before a read a user gets the owner's availability of the resource, whatever that is",
        arguments: 0..<20
    )
    func tellsHeld(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let scene = try await SharingScene(Self.resource())
        let own = SharingScene.source(scene.origin, scene.owner)
        #expect(scene.source.availability.held.isEmpty)
        for _ in 0..<4 {
            let lower = Int64.random(in: 0..<Self.length, using: &generator)
            let upper = Int64.random(in: lower..<Self.length, using: &generator) + 1
            let reader = Bool.random(using: &generator) ? own : scene.source
            _ = try await SharingScene.bytes(reader, .span(lower..<upper))
            await scene.source.openHeld()
            let told = scene.source.availability
            #expect(told.length == Self.length, "seed \(seed)")
            #expect(told.held.firstMissing(in: lower..<upper) == nil, "seed \(seed)")
        }
        await own.close()
        await scene.close()
    }

    @Test("the owner's availability includes bytes that the cache held already")
    func tellsOlder() async throws {
        let scene = try await SharingScene(Self.resource())
        let own = SharingScene.source(scene.origin, scene.owner)
        _ = try await SharingScene.bytes(own, .span(0..<1 << 20))
        await own.close()
        await scene.source.openHeld()
        let told = scene.source.availability
        #expect(told.length == Self.length)
        #expect(told.held.firstMissing(in: 0..<1 << 20) == nil)
        await scene.close()
    }

    @Test("readers in both share one fetch")
    func oneFetch() async throws {
        let scene = try await SharingScene(Self.resource())
        let own = SharingScene.source(scene.origin, scene.owner)
        let gate = scene.origin.hold(before: 1 << 20)
        async let here = SharingScene.bytes(own)
        async let there = SharingScene.bytes(scene.source)
        async let also = SharingScene.bytes(scene.source, .span(100..<Self.length))
        try await gate.waitForWaiters(1)
        gate.open()
        #expect(try await here == Self.expected)
        #expect(try await there == Self.expected)
        #expect(try await also == ReadBytes(Self.expected.bytes[100...]))
        #expect(scene.origin.log.byteCount == Self.length)
        await scene.close()
    }

    @Test(
        "a reader continues when the owner leaves, and fetches again only bytes that were in transfer"
    )
    func takesOver() async throws {
        let scene = try await SharingScene(Self.resource())
        let reading = try await scene.source.read(.whole)
        var bytes: [UInt8] = []
        for try await chunk in reading {
            bytes += try chunk.bytes()
            if bytes.count > 1 << 20, scene.user.owner == nil { await scene.owner.close() }
        }
        #expect(ReadBytes(bytes) == Self.expected)
        #expect(scene.user.owner != nil)
        #expect(scene.origin.log.repeatedByteCount <= 1 << 20)
        await scene.close()
    }

    @Test("without a validator, a reader gets an error and not bytes of two versions")
    func takesOverUnnamed() async throws {
        var resource = Self.resource()
        resource.validator = nil
        let scene = try await SharingScene(resource)
        let reading = try await scene.source.read(.whole)
        await #expect {
            var isFirst = true
            for try await _ in reading {
                if isFirst { await scene.owner.close() }
                isFirst = false
            }
        } throws: { ($0 as? SourceError)?.code == .changed }
        #expect(try await SharingScene.bytes(scene.source) == Self.expected)
        await scene.close()
    }

    @Test("of three processes, one takes over and the third plays through it")
    func third() async throws {
        let scene = try await SharingScene(Self.resource())
        let access = try SharingScene.access(scene.folder.path)
        let third = SharingScene.source(scene.origin, access)
        _ = try await SharingScene.bytes(third, .span(0..<10))
        _ = try await SharingScene.bytes(scene.source, .span(0..<10))
        await scene.owner.close()
        async let one = SharingScene.bytes(scene.source)
        async let two = SharingScene.bytes(third)
        #expect(try await one == Self.expected)
        #expect(try await two == Self.expected)
        #expect((scene.user.owner == nil) != (access.owner == nil))
        #expect(scene.origin.log.repeatedByteCount <= 1 << 20)
        await access.close()
        await scene.close()
    }

    @Test(
        "when the process whose origin is asked leaves, another's origin continues from the next byte"
    )
    func lenderGoes() async throws {
        let scene = try await SharingScene(Self.resource())
        let mine = ScriptedSource(Self.resource())
        let own = SharingScene.source(mine, scene.owner)
        let reading = try await own.read(.span(0..<10))
        try await scene.lend()
        let gate = scene.origin.hold(before: 1 << 20)
        async let all = SharingScene.bytes(own)
        try await gate.waitForWaiters(1)
        // The owner reads ahead with the newest origin, which is the user's.
        #expect(mine.log.byteCount <= 256 << 10)
        await scene.source.close()
        await scene.user.close()
        #expect(try await all == Self.expected)
        #expect(mine.log.handedOut.ranges.last?.upperBound == Self.length)
        withExtendedLifetime(reading) {}
        await scene.close()
    }

    @Test("an error of the origin arrives unchanged through both processes")
    func errors() async throws {
        let scene = try await SharingScene(Self.resource())
        scene.origin.refuse(
            with: SourceError(.unauthorized, "Say who you are.", host: "a.example", status: 401),
            times: nil
        )
        do {
            _ = try await SharingScene.bytes(scene.source)
            Issue.record("it could be read")
        } catch let error as SourceError {
            #expect(error.code == .unauthorized)
            #expect(error.message == "Say who you are.")
            #expect(error.host == "a.example")
            #expect(error.status == 401)
        }
        await scene.close()
    }

    @Test("for an offline user the owner asks no origin")
    func offline() async throws {
        let scene = try await SharingScene(Self.resource())
        let own = SharingScene.source(scene.origin, scene.owner)
        _ = try await SharingScene.bytes(own, .span(0..<1000))
        let count = scene.origin.log.byteCount
        let refusing = ScriptedSource(length: 1)
        refusing.refuse(with: SourceError(.offline, "Ask nobody."), times: nil)
        let offline = SharingScene.source(refusing, scene.user, isOffline: true)
        #expect(
            try await SharingScene.bytes(offline, .span(0..<1000))
                == ReadBytes(Self.expected.bytes[..<1000])
        )
        await #expect {
            _ = try await SharingScene.bytes(offline, .from(2 << 20))
        } throws: { ($0 as? SourceError)?.code == .offline }
        #expect(scene.origin.log.byteCount == count)
        await scene.close()
    }

    @Test("a process that plays through the owner receives the availability")
    func availability() async throws {
        let scene = try await SharingScene(Self.resource())
        var isComplete = false
        let changes = scene.source.availabilityChanges()
        async let bytes = SharingScene.bytes(scene.source)
        for await availability in changes {
            isComplete = availability.isComplete
            if isComplete { break }
        }
        #expect(isComplete)
        #expect(try await bytes == Self.expected)
        #expect(scene.source.availability.isComplete)
        await scene.close()
    }

    @Test("commands reach the owner")
    func commands() async throws {
        let scene = try await SharingScene(Self.resource())
        _ = try await SharingScene.bytes(scene.source)
        guard case .resources(let list) = try await scene.user.perform(.list) else {
            Issue.record("no list")
            return
        }
        let resource = try #require(list.first)
        #expect(resource.isComplete)
        #expect(resource.identifier == SharingScene.key.identifier)
        let target = TemporaryDirectory()
        let path = "\(target.path)/a.mp3"
        guard
            case .exported(Self.length) = try await scene.user.perform(
                .export(resource.identifier, path: path)
            ),
            case .verified(let verified) = try await scene.user.perform(
                .verify(resource.identifier)
            ), verified.soundByteCount == Self.length, verified.damagedByteCount == 0,
            case .found(true) = try await scene.user.perform(.pin(resource.identifier, true)),
            case .found(false) = try await scene.user.perform(.remove("0123")),
            case .found(true) = try await scene.user.perform(.remove(resource.identifier))
        else {
            Issue.record("a command was not carried out")
            return
        }
        #expect(FileManager.default.contents(atPath: path) == Data(Self.expected.bytes))
        await #expect(throws: CacheError.self) {
            _ = try await scene.user.perform(.export(resource.identifier, path: "/no/such/place"))
            _ = try await SharingScene.bytes(scene.source, .span(0..<10))
            _ = try await scene.user.perform(.export(resource.identifier, path: path))
        }
        await scene.close()
    }

    @Test("a user whose origin refuses harms no other user")
    func refusedLender() async throws {
        let scene = try await SharingScene(Self.resource())
        let own = SharingScene.source(scene.origin, scene.owner)
        _ = try await SharingScene.bytes(own, .span(0..<10))
        let refusing = ScriptedSource(length: 1)
        refusing.refuse(with: SourceError(.unauthorized, "Say who you are."), times: nil)
        let other = SharingScene.source(refusing, scene.user)
        // The newest lender gets the first request; after its refusal no other reader depends on
        // it.
        #expect(try await SharingScene.bytes(other) == Self.expected)
        #expect(try await SharingScene.bytes(own) == Self.expected)
        #expect(!refusing.log.demands.isEmpty)
        await other.close()
        await scene.close()
    }

    @Test("a closed source no longer lends its origin, and ends its listeners")
    func closedSource() async throws {
        let scene = try await SharingScene(Self.resource())
        _ = try await SharingScene.bytes(scene.source, .span(0..<10))
        let changes = scene.source.availabilityChanges()
        await scene.source.close()
        for await _ in changes {}
        #expect(scene.source.availability.held.isEmpty)
        await #expect(throws: SourceError.self) { _ = try await scene.source.read(.whole) }
        await scene.close()
    }

    @Test("reading the availability opens nothing, and shows the bytes that others have fetched")
    func looks() async throws {
        let scene = try await SharingScene(Self.resource())
        let own = SharingScene.source(scene.origin, scene.owner)
        #expect(own.availability.held.isEmpty)
        let owner = try #require(scene.owner.owner)
        #expect(owner.resource(SharedResource(key: SharingScene.key)) == nil)
        _ = try await SharingScene.bytes(scene.source)
        #expect(own.availability.isComplete)
        await scene.close()
    }

    @Test("a process that only listens to the availability takes over when the owner leaves")
    func listenerTakesOver() async throws {
        let scene = try await SharingScene(Self.resource())
        _ = try await SharingScene.bytes(scene.source, .span(0..<10))
        var isFirst = true
        for await _ in scene.source.availabilityChanges() {
            if scene.user.owner != nil { break }
            if isFirst { await scene.owner.close() }
            isFirst = false
        }
        #expect(scene.user.owner != nil)
        await scene.close()
    }
}
