// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("A cache directory of a single process, as on iOS", .timeLimit(.minutes(1)))
struct NoEndpointTests {
    private static func access(_ path: String) throws -> CacheAccess {
        try CacheAccess(
            directory: path,
            limits: CacheLimits(),
            observer: nil,
            endpoint: { _, _ in nil }
        )
    }

    @Test("without an endpoint no other process is reached")
    func none() async {
        let address = OwnerAddress(endpoint: nil, timeline: Timeline(ContinuousClock()))
        await #expect(throws: PeerError.disconnected) { _ = try await address.connect() }
    }

    @Test("the owner plays, keeps, lists and downloads with the same calls, and makes no socket")
    func owner() async throws {
        let folder = TemporaryDirectory()
        let access = try Self.access(folder.path)
        let origin = ScriptedSource(ScriptedResource(length: 100_000))
        let source = SharingScene.source(origin, access)
        for _ in 0..<2 {
            let bytes = try await SharingScene.bytes(source)
            #expect(PatternBytes.firstDifference(in: bytes.bytes, at: 0) == nil)
        }
        #expect(origin.log.byteCount == 100_000)
        guard case .resources(let resources) = try await access.perform(.list) else {
            Issue.record("a list was not answered with resources")
            return
        }
        #expect(resources.map(\.heldByteCount) == [100_000])
        #expect(try await access.perform(downloads: .add(SharingScene.key, isPinned: true)))
        #expect(try await access.downloads().map(\.id) == [SharingScene.key.identifier])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("socket") })
        await source.close()
        await access.close()
    }

    @Test("the directory has a new owner when the former one closes")
    func next() async throws {
        let folder = TemporaryDirectory()
        for _ in 0..<3 {
            let access = try Self.access(folder.path)
            #expect(access.owner != nil)
            await access.close()
        }
    }

    @Test("a second library in a directory without an endpoint plays without waiting for the first")
    func alone() async throws {
        let folder = TemporaryDirectory()
        let events = SharingScene.Events()
        let limits = CacheLimits()
        let first = try CacheAccess(
            directory: folder.path,
            limits: limits,
            observer: nil,
            endpoint: { _, _ in nil }
        )
        let second = try CacheAccess(
            directory: folder.path,
            limits: limits,
            observer: { events.add($0) },
            // The clock never moves: a wait on it never ends.
            clock: ManualClock(),
            endpoint: { _, _ in nil }
        )
        let origin = ScriptedSource(ScriptedResource(length: 100_000))
        let bytes = try await SharingScene.bytes(SharingScene.source(origin, second))
        #expect(PatternBytes.firstDifference(in: bytes.bytes, at: 0) == nil)
        #expect(events.degradations.count == 1)
        #expect(first.owner != nil)
        #expect(second.owner == nil)
        await second.close()
        await first.close()
    }
}
