// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Testing
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The model of a medium for views", .timeLimit(.minutes(1)))
@MainActor
struct MediaModelTests {
    private static let length: Int64 = 300_000

    private let folder = TemporaryDirectory()

    private func library() throws -> MediaLibrary {
        try MediaLibrary(directory: URL(filePath: self.folder.path))
    }

    /// Waits until a condition on a model holds; like SwiftUI, it observes the model's changes.
    private func wait(until condition: () -> Bool) async {
        while true {
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            let holds = withObservationTracking(condition) { continuation.finish() }
            if holds { return }
            for await _ in changes {}
            await Task.yield()
        }
    }

    @Test("goes from idle through fetching to complete, with the held bytes")
    func states() async throws {
        let library = try self.library()
        let source = ScriptedSource(length: Self.length)
        let gate = source.hold(before: 150_000)
        let media = library.media(source, identifiedBy: "a")
        let model = MediaModel(media)
        #expect(model.state == .idle && model.fraction == nil && model.held.isEmpty)
        let fetch = Task { try await media.fetch() }
        await self.wait { model.state == .fetching && model.fraction == 0.5 }
        #expect(model.held == RangeSet(0..<150_000) && model.failure == nil)
        gate.open()
        await self.wait { model.state == .complete }
        #expect(model.fraction == 1)
        try await fetch.value
        await media.close()
        await self.wait { model.state == .closed }
        await library.close()
    }

    @Test("gives the reason of the last failed request, until one succeeds")
    func failure() async throws {
        let library = try self.library()
        let source = ScriptedSource(length: Self.length)
        source.refuse(with: SourceError(.forbidden, "No."), times: 1)
        let media = library.media(source, identifiedBy: "a")
        let model = MediaModel(media)
        await #expect(throws: SourceError.self) { try await media.data(in: 0..<1) }
        await self.wait { model.state == .failed }
        #expect(model.failure?.code == .forbidden)
        _ = try await media.data(in: 0..<1)
        await self.wait { model.state == .idle && model.failure == nil }
        await library.close()
    }

    @Test("shows the bytes that an earlier run kept, and asks no origin for them")
    func earlier() async throws {
        let source = ScriptedSource(length: Self.length)
        do {
            let library = try self.library()
            _ = try await library.media(source, identifiedBy: "a").data(in: 0..<75_000)
            await library.close()
        }
        let demandCount = source.log.demands.count
        let library = try self.library()
        let model = MediaModel(library.media(source, identifiedBy: "a"))
        await self.wait { model.availability.length != nil }
        let held = try #require(model.fraction)
        #expect(held >= 0.25 && model.state == .idle)
        #expect(source.log.demands.count == demandCount)
        await library.close()
    }

    @Test("is released with its last owner, and leaves its medium to its readers")
    func dropped() async throws {
        let library = try self.library()
        let media = library.media(ScriptedSource(length: Self.length), identifiedBy: "a")
        var model: MediaModel? = MediaModel(media)
        weak let watched = model
        _ = try await media.data(in: 0..<100)
        await self.wait { watched?.held.isEmpty == false }
        model = nil
        #expect(watched == nil)
        #expect(try await media.data(in: 0..<Self.length).count == Int(Self.length))
        await library.close()
    }

    @Test("ignores a late report of progress, and counts a transfer that began before it")
    func activity() {
        var activity = MediaActivity()
        let (old, new) = (Self.transfer(1), Self.transfer(2))
        activity.handle(.transferProgressed(old))
        #expect(activity.isFetching)
        activity.handle(.transferStarted(new))
        activity.handle(.transferLeft(old))
        activity.handle(.transferProgressed(old))
        activity.handle(.transferFailed(new, SourceError(.originFailed, "Lost.")))
        #expect(!activity.isFetching && activity.failure?.code == .originFailed)
        activity.handle(.transferFailed(nil, SourceError(.notFound, "Gone.")))
        #expect(activity.failure?.code == .notFound)
        activity.handle(.transferStarted(Self.transfer(3)))
        #expect(activity.isFetching && activity.failure == nil)
    }

    private static func transfer(_ number: Int) -> MediaTransfer {
        MediaTransfer(number: number, lowerBound: 0, upperBound: 10)
    }
}
