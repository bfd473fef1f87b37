// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@testable import Weir

/// A cache directory, its owner, and one who plays through it, as two processes would: they share nothing else.
final class SharingScene: Sendable {
    let folder = TemporaryDirectory()
    let origin: ScriptedSource
    let events = Events()
    let owner: CacheAccess
    let user: CacheAccess
    let source: SharedSource

    static let policy = LoadPolicy(readAhead: 64 << 10, reach: 32 << 10, maximumChunk: 64 << 10)
    static let key = ResourceKey(
        location: "https://origin.example/a.mp3",
        account: "",
        display: "https://origin.example/a.mp3"
    )

    /// What an observer was told.
    final class Events: Sendable {
        private let all = Mutex<[SourceEvent]>([])

        func add(_ event: SourceEvent) { self.all.withLock { $0.append(event) } }

        var degradations: [String] {
            self.all.withLock { $0 }.compactMap {
                if case .cacheDegraded(let reason) = $0 { reason } else { nil }
            }
        }
    }

    init(_ resource: ScriptedResource, chunkSize: Int = 16_384) throws {
        self.origin = ScriptedSource(resource, chunkSize: chunkSize)
        self.owner = try Self.access(self.folder.path)
        self.user = try Self.access(self.folder.path, self.events)
        self.source = Self.source(self.origin, self.user)
    }

    static func access(_ path: String, _ events: Events? = nil) throws -> CacheAccess {
        try CacheAccess(
            directory: path,
            limits: CacheLimits(byteCount: 1 << 30),
            observer: { events?.add($0) },
            pause: .milliseconds(100)
        )
    }

    static func source(
        _ origin: any ByteSource,
        _ access: CacheAccess,
        isOffline: Bool = false
    ) -> SharedSource {
        SharedSource(
            KeptSource.Name(key: self.key, isOffline: isOffline),
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

    /// Makes the user's origin one that the owner asks.
    func lend() async throws {
        while case .user(let socket) = await self.user.standing() {
            // The owner may be about to listen.
            do {
                _ = try await self.source.line(socket)
                return
            } catch is Interruption {}
        }
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

    /// Returns when the origin has handed out nothing for a while.
    private func rest() async {
        var (seen, turns) = (self.origin.log.byteCount, 0)
        while turns < 20 {
            try? await Task.sleep(for: .milliseconds(2))
            turns += 1
            let now = self.origin.log.byteCount
            if now != seen { (seen, turns) = (now, 0) }
        }
    }
}
