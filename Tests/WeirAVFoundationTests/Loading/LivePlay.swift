// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WeirAVFoundation
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirPlayerSimulation

/// A simulated player on real loaders, each over a real cache and a scripted origin.
///
/// Each event for the player is delivered on the queue of the loader that it concerns.
final class LivePlay: Sendable {
    private struct State: Sendable {
        var player: SimulatedPlayer
        /// The callbacks that report a piece as released, for each request in the order of its pieces.
        var kept: [LoadingRequestServer.RequestID: [@Sendable () -> Void]] = [:]
        /// How many actions have not been performed.
        var pending = 0
    }

    let origins: [ScriptedSource]
    private let sources: [CachedSource]
    private let loaders: [AssetLoader]
    private let cache: Cache
    private let largestChunk: Int
    private let folder = TemporaryDirectory()
    private let state: Watched<State>

    init(_ scenario: Scenario, seed: UInt64) throws {
        self.cache = try Cache(directory: self.folder.path)
        let cache = self.cache
        let largestChunk = max(1, scenario.limits.largestPiece / 2)
        self.largestChunk = largestChunk
        self.origins = scenario.media.enumerated().map { number, medium in
            var resource = ScriptedResource(
                bytes: medium.versions[0].bytes(in: 0..<medium.length)
            )
            resource.validator = .entityTag("\"\(seed)-\(number)\"")
            resource.mediaType = medium.mediaType
            return ScriptedSource(resource, chunkSize: largestChunk)
        }
        self.sources = self.origins.enumerated().map { number, origin in
            let name = "https://origin.example/\(seed)/\(number)"
            return CachedSource(
                origin: origin,
                key: ResourceKey(location: name, account: "", display: name),
                cache: cache
            )
        }
        self.loaders = self.sources.map {
            AssetLoader($0, queue: DelegateQueue(label: "test"), limits: scenario.limits)
        }
        self.state = Watched(
            State(
                player: SimulatedPlayer(
                    scenario.script,
                    media: scenario.media,
                    releases: scenario.releases,
                    mostRequests: scenario.limits.requests,
                    largestPiece: scenario.limits.largestPiece
                )
            )
        )
    }

    /// Plays the script to its end, and then forgets the assets.
    ///
    /// - Returns: The violations that the player has recorded.
    func run() async throws -> [Violation] {
        self.tell { $0.started() }
        try await self.state.wait { state in
            state.pending == 0 && state.player.asks.count == state.player.script.steps.count
                && state.player.asks.allSatisfy(\.isPassed)
        }
        self.tell { $0.leave() }
        try await self.state.wait { $0.pending == 0 }
        for origin in self.origins { try await origin.waitUntilIdle() }
        for source in self.sources { await source.close() }
        self.cache.close()
        return self.state.value.player.violations
    }

    /// How many bytes the origins have sent again, and how many they may send again.
    ///
    /// When a newer request takes over, the older one ends with the piece in flight.
    var repeated: (count: Int64, allowed: Int64) {
        var (count, allowed) = (Int64(0), Int64(0))
        for origin in self.origins {
            count += origin.log.repeatedByteCount
            allowed += Int64(max(0, origin.log.readings.count - 1)) * Int64(self.largestChunk)
        }
        return (count, allowed)
    }

    // MARK: Events and actions

    /// The actions enter the queues within the lock, so that each queue performs them in the order of the decisions.
    fileprivate func tell(_ event: @Sendable (inout SimulatedPlayer) -> [SimulatedPlayer.Action]) {
        self.state.update { state in
            let actions = event(&state.player)
            state.pending += actions.count
            for action in actions {
                let loader = self.loaders[action.asset]
                loader.queue.queue.async {
                    loader.assumeIsolated { self.perform(action, on: $0) }
                    self.state.update { $0.pending -= 1 }
                }
            }
        }
    }

    private func perform(_ action: SimulatedPlayer.Action, on loader: isolated AssetLoader) {
        let released = self.state.update { state -> [@Sendable () -> Void] in
            state.player.performed(action)
            guard case .release(let id, _, _) = action, state.kept[id]?.isEmpty == false else {
                return []
            }
            return [state.kept[id]?.removeFirst()].compactMap { $0 }
        }
        switch action {
        case .request(let request, _): loader.add(LiveRequest(request, of: self))
        case .cancel(let id, _): loader.cancel { ($0 as? LiveRequest)?.id == id }
        case .release: for released in released { released() }
        case .abandon: loader.close()
        }
    }

    fileprivate func keep(
        _ id: LoadingRequestServer.RequestID,
        _ released: @escaping @Sendable () -> Void
    ) {
        self.state.update { $0.kept[id, default: []].append(released) }
    }
}

/// A request of the simulated player.
private final class LiveRequest: PlayerRequest, Sendable {
    private let request: LoadingRequestServer.Request
    private let play: LivePlay

    init(_ request: LoadingRequestServer.Request, of play: LivePlay) {
        self.request = request
        self.play = play
    }

    /// The player's number for the request; the loader has a number of its own.
    var id: LoadingRequestServer.RequestID { self.request.id }

    func described(as id: LoadingRequestServer.RequestID) -> LoadingRequestServer.Request {
        LoadingRequestServer.Request(
            id: id,
            wantsInformation: self.request.wantsInformation,
            allowedTypes: self.request.allowedTypes,
            bytes: self.request.bytes
        )
    }

    func fill(_ information: ContentInformation) {
        self.play.tell { [id] in $0.informed(id, information) }
    }

    func respond(with bytes: ByteMemory, released: @escaping @Sendable () -> Void) {
        self.play.keep(self.id, released)
        self.play.tell { [id] in $0.received(id, bytes) }
    }

    func finish() {
        self.play.tell { [id] in $0.finished(id) }
    }

    func finish(with failure: LoadingFailure) {
        self.play.tell { [id] in $0.failed(id, failure) }
    }
}
