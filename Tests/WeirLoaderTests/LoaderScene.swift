// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirCacheTestSupport
import WeirLoader
import WeirSource
import WeirTestKit

/// A scripted origin, a cache in a folder of its own, and a cached source between them.
final class LoaderScene: Sendable {
    let origin: ScriptedSource
    /// The operations of the cache's file system.
    let files: ScriptedFiles
    let cache: Cache
    let source: CachedSource
    let clock = ManualClock()
    /// The events that the source's observer received.
    let events = Watched<[SourceEvent]>([])
    private let folder: TemporaryDirectory

    static let smallPolicy = LoadPolicy(
        readAhead: 64 << 10,
        reach: 32 << 10,
        maximumChunk: 64 << 10
    )

    init(
        _ resource: ScriptedResource,
        policy: LoadPolicy = LoaderScene.smallPolicy,
        chunkSize: Int = 16_384
    ) throws {
        self.folder = TemporaryDirectory()
        self.origin = ScriptedSource(resource, chunkSize: chunkSize)
        self.files = ScriptedFiles()
        self.cache = try Cache(directory: self.folder.path, files: self.files)
        self.source = CachedSource(
            origin: self.origin,
            key: Self.key,
            cache: self.cache,
            policy: policy,
            clock: self.clock,
            observer: { [events] event in events.update { $0.append(event) } }
        )
    }

    /// The scene after a restart of the process: the same origin, the same folder.
    init(restarting other: LoaderScene, policy: LoadPolicy = LoaderScene.smallPolicy) throws {
        other.cache.close()
        self.folder = other.folder
        self.origin = other.origin
        self.files = ScriptedFiles()
        self.cache = try Cache(directory: self.folder.path, files: self.files)
        self.source = CachedSource(
            origin: self.origin,
            key: Self.key,
            cache: self.cache,
            policy: policy,
            clock: self.clock,
            observer: { [events] event in events.update { $0.append(event) } }
        )
    }

    /// The slice of a range, after the disk has taken all accepted bytes.
    func slice(_ range: RequestedRange) -> ResidentSlice? {
        self.cache.finishWrites()
        return self.source.residentSlice(range)
    }

    /// The path of the one file in the cache with a suffix.
    func path(_ suffix: String) -> String? {
        let names = FileManager.default.enumerator(atPath: self.folder.path)
        return names?.compactMap { $0 as? String }.first { $0.hasSuffix(suffix) }.map {
            "\(self.folder.path)/\($0)"
        }
    }

    /// Changes a bit of the cached bytes, as a failing disk does.
    func rot(at offset: UInt64) throws {
        guard let path = self.path(".data") else { throw CocoaError(.fileNoSuchFile) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        let byte = try file.read(upToCount: 1)?.first ?? 0
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data([byte ^ 4]))
    }

    deinit {
        self.cache.close()
    }

    static let key = ResourceKey(
        location: "https://origin.example/a.mp3",
        account: "",
        display: "https://origin.example/a.mp3"
    )

    /// Another source over the same cache and origin, as after a restart.
    func another(policy: LoadPolicy = LoaderScene.smallPolicy) -> CachedSource {
        CachedSource(
            origin: self.origin,
            key: Self.key,
            cache: self.cache,
            policy: policy,
            clock: self.clock,
            observer: { [events] event in events.update { $0.append(event) } }
        )
    }

    /// The scene as a subject of the contract.
    var subject: ContractSubject {
        var subject = ContractSubject(self.source, over: self.origin)
        subject.quiescence = { await self.rest() }
        subject.end = { await self.source.close() }
        return subject
    }

    /// Returns when the origin has sent nothing for a thousand turns of all other tasks.
    private func rest() async {
        var (seen, turns) = (self.origin.log.byteCount, 0)
        while turns < 1000 {
            await Task.yield()
            turns += 1
            let now = self.origin.log.byteCount
            if now != seen { (seen, turns) = (now, 0) }
        }
    }

    static func subject(
        _ resource: ContractResource,
        _ change: (inout ScriptedResource) -> Void = { _ in }
    ) throws -> ContractSubject {
        var scripted = resource.scripted
        change(&scripted)
        let scene = try LoaderScene(scripted)
        if let hold = resource.hold { scene.origin.hold(before: hold.offset, until: hold.gate) }
        return scene.subject
    }

    /// Whether the cache's folder has a data file or a journal.
    var hasData: Bool { self.path(".data") != nil || self.path(".journal") != nil }

    /// Returns when no fetch runs: a fetch may end after its reader has received the last byte.
    func waitUntilIdle() async throws {
        while !(await self.source.fetchActivities().isEmpty) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Reads a range to its end.
    func bytes(_ range: RequestedRange) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await self.source.read(range) { bytes += try chunk.bytes() }
        return bytes
    }
}

/// The error that an operation throws, if it is a `SourceError`.
func thrownError(_ operation: () async throws -> Void) async -> SourceError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? SourceError
    }
}
