// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("A resource that the origin forbids to store", .timeLimit(.minutes(1)))
struct ForbiddenStoringTests {
    private static let length: Int64 = 300_000
    private static let bytes = PatternBytes.bytes(in: 0..<Self.length)

    private static func resource(
        _ forbidsStoring: Bool = true,
        _ change: (inout ScriptedResource) -> Void = { _ in }
    ) -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length)
        resource.cacheDirectives = CacheDirectives(forbidsStoring: forbidsStoring)
        change(&resource)
        return resource
    }

    private static func policy(_ change: (inout LoadPolicy) -> Void) -> LoadPolicy {
        var policy = LoaderScene.smallPolicy
        change(&policy)
        return policy
    }

    private func warnings(_ scene: LoaderScene) -> [String] {
        scene.events.value.compactMap {
            guard case .storingForbidden(let resource, _) = $0 else { return nil }
            return resource
        }
    }

    @Test(
        "is read with one request for each reading, leaves nothing on the disk, and gives one warning"
    )
    func staysOff() async throws {
        let scene = try LoaderScene(Self.resource())
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(scene.origin.log.demands.count == 1, "the first answer is read to its end")
        #expect(try await scene.bytes(.span(100..<70_000)) == Array(Self.bytes[100..<70_000]))
        #expect(try await scene.bytes(.suffix(5)) == Array(Self.bytes.suffix(5)))
        #expect(scene.origin.log.demands.count == 3)
        #expect(!scene.hasData)
        #expect(try scene.cache.resources().isEmpty)
        #expect(scene.slice(.whole) == nil)
        #expect(scene.source.availability.held.isEmpty)
        #expect(self.warnings(scene) == ["https://origin.example/a.mp3"])
    }

    @Test("is described, and its length may be unknown")
    func isDescribed() async throws {
        let scene = try LoaderScene(Self.resource())
        #expect(try await scene.source.describe().length == Self.length)
        let unknown = try LoaderScene(Self.resource { $0.isLengthKnown = false })
        #expect(try await unknown.bytes(.whole) == Self.bytes)
        #expect(try await unknown.bytes(.from(299_990)) == Array(Self.bytes.suffix(10)))
        #expect(unknown.origin.log.demands.count == 2 && !unknown.hasData)
    }

    @Test("is read by several at once, each from the origin and of one version")
    func isShared() async throws {
        let scene = try LoaderScene(Self.resource())
        let gate = scene.origin.holdAnswers()
        let readers = (0..<4).map { _ in Task { try await scene.bytes(.whole) } }
        try await scene.origin.waitForReads(1)
        gate.open()
        for reader in readers { #expect(try await reader.value == Self.bytes) }
        #expect(scene.origin.log.demands.count <= 4 && !scene.hasData)
    }

    @Test("a second reading gets the current version of the origin while an older reading goes on")
    func isNotPinned() async throws {
        let scene = try LoaderScene(Self.resource())
        let first = try await scene.source.read(.whole).makeAsyncIterator()
        var bytes = try #require(try await first.next()).bytes()
        var other = ScriptedResource(length: Self.length, seed: 2)
        other.cacheDirectives = CacheDirectives(forbidsStoring: true)
        scene.origin.replace(with: other)
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<Self.length, seed: 2))
        while let chunk = try await first.next() { bytes += try chunk.bytes() }
        #expect(bytes == Self.bytes)
        #expect(!scene.hasData)
    }

    @Test("a refusal comes before the first byte")
    func isRefused() async throws {
        let scene = try LoaderScene(Self.resource())
        let first = try await scene.source.read(.whole).makeAsyncIterator()
        _ = try await first.next()
        scene.origin.refuse(with: SourceError(.notFound, "gone", status: 404))
        let error = await thrownError { _ = try await scene.source.read(.from(5)) }
        #expect(error?.code == .notFound)
    }

    @Test("a reader that leaves or is cancelled ends its request")
    func isLeft() async throws {
        let scene = try LoaderScene(Self.resource())
        do {
            let iterator = try await scene.source.read(.whole).makeAsyncIterator()
            _ = try await iterator.next()
        }
        try await scene.origin.waitForDepartures(1)
        #expect(scene.origin.log.byteCount <= 64_000)
    }

    @Test(
        "is kept if the user says so",
        arguments: [
            Self.policy { $0.storesForbidden = true }, Self.policy { $0.prefetch = .whole },
        ]
    )
    func isWanted(_ policy: LoadPolicy) async throws {
        let scene = try LoaderScene(Self.resource(), policy: policy)
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(scene.origin.log.demands.count == 1)
        #expect(try scene.cache.resources().first?.isComplete == true)
        #expect(self.warnings(scene).isEmpty)
    }

    @Test("is kept while it is pinned, and removed afterwards")
    func isPinned() async throws {
        for isPinned in [true, false] {
            let scene = try LoaderScene(Self.resource(false))
            _ = try await scene.bytes(.span(0..<100_000))
            if isPinned { #expect(try scene.cache.pin(identifier: LoaderScene.key.identifier)) }
            scene.origin.replace(with: Self.resource())
            #expect(try await scene.bytes(.whole) == Self.bytes)
            #expect(try scene.cache.resources().count == (isPinned ? 1 : 0))
            #expect(scene.hasData == isPinned)
            #expect(self.warnings(scene).count == (isPinned ? 0 : 1))
            #expect(scene.origin.log.repeatedByteCount <= 16_384, "held bytes are not requested")
        }
    }

    @Test(
        "without a version is compared with the bytes that were stored before",
        arguments: [UInt64(1), 2]
    )
    func isCompared(_ seed: UInt64) async throws {
        let scene = try LoaderScene(Self.resource(false) { $0.validator = nil })
        _ = try await scene.bytes(.span(0..<100_000))
        var other = ScriptedResource(length: Self.length, seed: seed)
        other.validator = nil
        other.cacheDirectives = CacheDirectives(forbidsStoring: true)
        scene.origin.replace(with: other)
        var bytes: [UInt8] = []
        let error = await thrownError {
            for try await chunk in try await scene.source.read(.whole) {
                bytes += try chunk.bytes()
            }
        }
        #expect(error?.code == (seed == 1 ? nil : .changed))
        #expect(seed == 1 ? bytes == Self.bytes : bytes == Array(Self.bytes.prefix(bytes.count)))
        #expect(self.warnings(scene).count == 1)
    }

    @Test("is kept from the time when the origin allows it")
    func isAllowed() async throws {
        let scene = try LoaderScene(Self.resource())
        _ = try await scene.bytes(.whole)
        scene.origin.replace(with: Self.resource(false))
        // The source hears of the first reader's departure a moment after its last byte; until then it stores
        // nothing.
        var isStored = false
        for _ in 0..<1000 where !isStored {
            #expect(try await scene.bytes(.whole) == Self.bytes)
            isStored = try scene.cache.resources().first?.isComplete == true
        }
        #expect(isStored)
        let count = scene.origin.log.demands.count
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(scene.origin.log.demands.count == count)
    }
}
