// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import WeirSharing
@testable import WeirSharingSocket

/// A cache directory, its owner, and a user of it; like two processes, they share nothing else.
final class SharingScene: Sendable {
    let folder = TemporaryDirectory()
    let origin: ScriptedSource
    let events = Events()
    let owner: CacheAccess
    let user: CacheAccess
    let source: SharedSource

    static let policy = LoadPolicy(readAhead: 64 << 10, reach: 32 << 10, maximumChunk: 64 << 10)
    static let pause = Duration.milliseconds(100)
    static let key = ResourceKey(
        location: "https://origin.example/a.mp3",
        account: "",
        display: "https://origin.example/a.mp3"
    )

    /// The events that an observer received.
    final class Events: Sendable {
        private let all = Watched<[SourceEvent]>([])

        func add(_ event: SourceEvent) { self.all.update { $0.append(event) } }

        var degradations: [String] { Self.degradations(self.all.value) }

        func waitForDegradation() async throws {
            try await self.all.wait { !Self.degradations($0).isEmpty }
        }

        private static func degradations(_ events: [SourceEvent]) -> [String] {
            events.compactMap { if case .cacheDegraded(let reason) = $0 { reason } else { nil } }
        }
    }

    /// Opens the directory twice; the user has the given clock, the owner a real one.
    ///
    /// The owner listens before the user looks for it: otherwise the user would wait on its clock.
    init(
        _ resource: ScriptedResource,
        chunkSize: Int = 16_384,
        clock: any Clock<Duration> = SuspendingClock()
    ) async throws {
        self.origin = ScriptedSource(resource, chunkSize: chunkSize)
        self.owner = try Self.access(self.folder.path)
        try await Self.waitForListener(of: self.owner)
        self.user = try Self.access(self.folder.path, self.events, clock: clock)
        self.source = Self.source(self.origin, self.user)
    }

    private static func waitForListener(of owner: CacheAccess) async throws {
        while true {
            if let connection = try? await owner.address.connect() { return connection.close() }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    static func access(
        _ path: String,
        _ events: Events? = nil,
        clock: any Clock<Duration> = SuspendingClock()
    ) throws -> CacheAccess {
        try CacheAccess(
            directory: path,
            limits: CacheLimits(byteCount: 1 << 30),
            observer: { events?.add($0) },
            pause: Self.pause,
            clock: clock,
            endpoint: { OwnerSocket(of: $0, timeline: $1) }
        )
    }

    static func source(
        _ origin: any ByteSource,
        _ access: CacheAccess,
        isOffline: Bool = false
    ) -> SharedSource {
        SharedSource(
            SharedResource(key: self.key, isOffline: isOffline),
            policy: self.policy,
            origin: origin,
            access: access
        )
    }

    /// Reads a range to its end.
    static func bytes(
        _ source: some ByteSource,
        _ range: RequestedRange = .whole
    ) async throws -> ReadBytes {
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(range) { bytes += try chunk.bytes() }
        return ReadBytes(bytes)
    }

    func close() async {
        await self.source.close()
        await self.user.close()
        await self.owner.close()
    }

    /// The owner's socket.
    var socket: OwnerSocket? { self.owner.address.endpoint as? OwnerSocket }

    /// Lends the user's origin to the owner.
    func lend() async throws {
        try await self.user.reach(attempts: 20) { state in
            guard case .using = state else { return }
            _ = try await self.source.connection()
        }
    }

    /// Replaces the owner's socket by a listener that never answers.
    ///
    /// - Returns: a function that closes the listener.
    func silenceOwner() async throws -> @Sendable () async -> Void {
        self.owner.owner?.stopAnswering()
        let socket = try #require(self.socket)
        let server = try await socket.listen()
        return { try? await server.channel.close() }
    }

    /// The user's source as a subject of the contract.
    var subject: ContractSubject { self.subject(self.source) }

    /// A source of the scene as a subject of the contract.
    func subject(_ source: SharedSource) -> ContractSubject {
        var subject = ContractSubject(source, over: self.origin)
        subject.quiescence = { await self.rest() }
        subject.end = { await self.close() }
        return subject
    }

    /// Returns when the origin has sent nothing for twenty commands to the owner.
    ///
    /// All other tasks get many turns after each command.
    private func rest() async {
        var (seen, turns) = (self.origin.log.byteCount, 0)
        while turns < 20 {
            _ = try? await self.user.perform(.list)
            for _ in 0..<50 { await Task.yield() }
            turns += 1
            let now = self.origin.log.byteCount
            if now != seen { (seen, turns) = (now, 0) }
        }
    }
}
