// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("The current fetches of a cached source", .timeLimit(.minutes(1)))
struct FetchActivityTests {
    @Test("do not exist while no reader lacks a byte")
    func nothing() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 100_000))
        #expect(await scene.source.fetchActivities().isEmpty)
        _ = try await scene.bytes(.whole)
        try await scene.waitUntilIdle()
        #expect(scene.source.identifier == LoaderScene.key.identifier)
    }

    @Test("a request without an answer has its start and the reason for it")
    func opening() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1_000_000))
        let gate = scene.origin.holdAnswers()
        let reader = Task { try await scene.bytes(.from(500_000)) }
        try await scene.origin.waitForReads(1)
        let activity = try #require(await scene.source.fetchActivities().first)
        #expect(activity.state == .opening)
        #expect(activity.reason == .reader)
        #expect(activity.position == 500_000)
        gate.open()
        #expect(try await reader.value.count == 500_000)
        try await scene.waitUntilIdle()
    }

    @Test("a running request has the position of its next byte, and its end")
    func running() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 100_000))
        let gate = scene.origin.hold(before: 32_768)
        let reader = Task { try await scene.bytes(.whole) }
        try await gate.waitForWaiters(1)
        let activities = await scene.source.fetchActivities()
        #expect(activities.count == 1)
        #expect(activities.first?.state == .running)
        #expect(activities.first?.position == 32_768)
        #expect(activities.first?.end == 100_000)
        gate.open()
        _ = try await reader.value
    }

    @Test("a request with enough read-ahead is paused, and one without a reader lingers")
    func pausedAndLingering() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 10_000_000))
        do {
            let reading = try await scene.source.read(.whole)
            let iterator = reading.makeAsyncIterator()
            _ = try await iterator.next()
            while await scene.source.fetchActivities().first?.state != .paused {
                try Task.checkCancellation()
                await Task.yield()
            }
            let position = try #require(await scene.source.fetchActivities().first?.position)
            #expect(position > 16_384 && position < 200_000)
            withExtendedLifetime(iterator) {}
        }
        await scene.clock.waitForSleepers(1)
        #expect(await scene.source.fetchActivities().map(\.state) == [.lingering])
        scene.clock.advance(by: .milliseconds(250))
        try await scene.origin.waitForDepartures(1)
        try await scene.waitUntilIdle()
    }

    @Test("a fetch that keeps more than its readers need has the reason `filling`")
    func filling() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1_000_000))
        let gate = scene.origin.hold(before: 32_768)
        let task = Task { try await scene.source.fill(storesForbidden: false) { _ in } }
        try await gate.waitForWaiters(1)
        #expect(await scene.source.fetchActivities().map(\.reason) == [.filling])
        gate.open()
        try await task.value
        try await scene.waitUntilIdle()
    }

    @Test("for a resource of unknown length the end is unknown, too")
    func unknownEnd() async throws {
        var resource = ScriptedResource(length: 100_000)
        resource.isLengthKnown = false
        let scene = try LoaderScene(resource)
        let gate = scene.origin.hold(before: 32_768)
        let reader = Task { try await scene.bytes(.whole) }
        try await gate.waitForWaiters(1)
        let activity = try #require(await scene.source.fetchActivities().first)
        #expect(activity.end == nil)
        gate.open()
        _ = try await reader.value
    }
}
