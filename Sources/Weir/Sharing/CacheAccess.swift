// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirCache
import WeirSource

/// How this process comes at a cache directory: as its owner, through another process that owns it, or not at all.
///
/// When the owner goes, the first who notices takes over. When the disk fails, media play without a cache, and the
/// directory is tried again every now and then.
final class CacheAccess: Sendable {
    /// How it stands.
    enum Standing: Sendable {
        case owner(CacheOwner)
        case user(OwnerSocket)
        /// Nothing can be kept, for this reason; tried again after a time.
        case without(CacheError, until: SuspendingClock.Instant)
        case closed
    }

    /// How long to look for an owner when the directory is taken and nobody answers yet.
    private static let patience = Duration.seconds(10)
    /// The same for one whose owner is silent.
    private static let longPause = Duration.seconds(60)

    let directory: String
    private let observer: SourceObserver
    private let health: CacheHealth
    /// How long a directory that could not be used is left alone.
    private let pause: Duration
    private let limits: Mutex<CacheLimits>
    private let maximumOpenFiles: Int
    private let state: Mutex<Standing>
    private let settling = Shared<Void>()

    /// Opens a directory, or finds that another process has it.
    ///
    /// - Throws: `CacheError` if it is no directory, or could never be used.
    init(
        directory: String,
        limits: CacheLimits,
        maximumOpenFiles: Int = Cache.defaultMaximumOpenFiles,
        observer: SourceObserver?,
        pause: Duration = .seconds(5)
    ) throws(CacheError) {
        let health = CacheHealth()
        self.health = health
        self.observer = { event in
            health.note(event)
            observer?(event)
        }
        self.pause = pause
        self.limits = Mutex(limits)
        self.maximumOpenFiles = maximumOpenFiles
        self.directory = Cache.absolutePath(directory)
        let standing: Standing
        do throws(CacheError) {
            let cache = try Cache(
                directory: directory,
                limits: limits,
                observer: self.observer,
                maximumOpenFiles: maximumOpenFiles
            )
            standing = .owner(CacheOwner(cache, observer: self.observer))
        } catch {
            if error.code == .inUse {
                standing = .user(OwnerSocket(directory: self.directory))
            } else {
                guard Self.mayPass(error), Cache.exists(inDirectory: directory) else { throw error }
                standing = .without(error, until: .now + self.pause)
                self.observer(.cacheDegraded(reason: error.message))
            }
        }
        self.state = Mutex(standing)
    }

    deinit {
        guard case .owner(let owner) = self.state.withLock({ $0 }) else { return }
        owner.stopAnswering()
        // Owned by nobody: whatever still works for others would keep the directory from whoever comes next.
        Task { await owner.close() }
    }

    /// The directory's owner, if it is this process.
    var owner: CacheOwner? {
        if case .owner(let owner) = self.state.withLock({ $0 }) { owner } else { nil }
    }

    /// How it stands, now; tries a directory again that could not be used.
    func standing() async -> Standing {
        let standing = self.state.withLock { $0 }
        switch standing {
        case .without(_, let time) where time < .now: break
        case .owner(let owner)
        where self.health.wantsLook(every: self.pause) && !owner.cache.isInPlace: break
        default: return standing
        }
        try? await self.settle()
        return self.state.withLock { $0 }
    }

    /// Finds the directory's owner again, or becomes it.
    ///
    /// - Throws: `CancellationError`.
    func renew() async throws {
        if case .user = self.state.withLock({ $0 }) { try await self.settle() }
        try Task.checkCancellation()
    }

    /// The owner is there and says nothing: media play without the cache.
    func ownerIsSilent() {
        let error = CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another process, which does not answer; end that process.",
            path: self.directory
        )
        self.goWithout(error, for: Self.longPause)
    }

    /// The owner is there and cannot be spoken with: media play without the cache.
    func ownerRefuses(_ error: CacheError) {
        self.goWithout(error, for: Self.longPause)
    }

    /// What the owner allows the cache to hold is allowed, too, when this process takes over.
    ///
    /// An owner without limits, such as a command that works on the cache for a moment, says nothing.
    func learned(_ limits: CacheLimits) {
        guard limits != CacheLimits() else { return }
        self.limits.withLock { $0 = limits }
    }

    /// How much may be held.
    var currentLimits: CacheLimits { self.owner?.cache.limits ?? self.limits.withLock { $0 } }

    /// Changes how much may be held; a directory that another process owns keeps its limits.
    func setLimits(_ limits: CacheLimits) {
        self.limits.withLock { $0 = limits }
        self.owner?.cache.limits = limits
    }

    /// Does something with what is held, wherever the owner is.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    func perform(_ command: CacheCommand) async throws -> CommandResult {
        for _ in 0..<10 {
            switch await self.standing() {
            case .owner(let owner): return try await command.perform(on: owner.cache)
            case .closed: throw self.closedError
            case .without(let error, _): throw error
            case .user(let socket):
                do {
                    return try await self.ask(command, of: socket)
                } catch is Interruption {
                    try await self.renew()
                } catch is OwnerSilent {
                    self.ownerIsSilent()
                }
            }
        }
        throw self.lostError
    }

    /// Lets the owner carry a command out; it says every now and then that it is still there.
    private func ask(_ command: CacheCommand, of socket: OwnerSocket) async throws -> CommandResult
    {
        let channel = try await socket.connect()
        let hasPassed = Atomic(false)
        try await channel.send(OwnerRequest(kind: .command(command)))
        while true {
            let deadline = channel.close(after: .seconds(10)) {
                hasPassed.store(true, ordering: .relaxed)
            }
            defer { deadline.cancel() }
            do {
                switch try await channel.answer() {
                case .alive: continue
                case .done(let result): return result
                default: throw Interruption()
                }
            } catch is Interruption where hasPassed.load(ordering: .relaxed) {
                throw OwnerSilent()
            }
        }
    }

    /// Lets the directory go.
    func close() async {
        let standing = self.state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .owner(let owner) = standing { await owner.close() }
    }

    /// Why media end that are read when all is closed.
    var closedError: CacheError {
        CacheError(.closed, "The library was closed while it was still used; open it again.")
    }

    /// Why a directory cannot be used whose owner goes again and again.
    var lostError: CacheError {
        CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another process, which broke off again and again; try again, or end that process.",
            path: self.directory
        )
    }

    private func settle() async throws {
        try await self.settling.value(
            isGood: { false },
            make: { [weak self] in await self?.lookForOwner() }
        )
    }

    /// Tries in turn to own the directory and to reach who does.
    private func lookForOwner() async {
        let deadline = SuspendingClock.now + Self.patience
        while SuspendingClock.now < deadline {
            if case .closed = self.state.withLock({ $0 }) { return }
            switch await self.open() {
            case .success(let cache):
                return self.takeOver(cache)
            case .failure(let error) where error.code != .inUse:
                return self.goWithout(error, for: self.pause)
            case .failure:
                let socket = OwnerSocket(directory: self.directory)
                if (try? await socket.connect()) != nil { return self.follow(socket) }
            }
            try? await Task.sleep(for: .milliseconds(25))
        }
        self.ownerIsSilent()
    }

    /// Opens the directory, off the caller's executor, since it waits for the disk.
    @concurrent
    private func open() async -> Result<Cache, CacheError> {
        Result { () throws(CacheError) in
            try Cache(
                directory: self.directory,
                limits: self.limits.withLock { $0 },
                observer: self.observer,
                maximumOpenFiles: self.maximumOpenFiles
            )
        }
    }

    private func follow(_ socket: OwnerSocket) {
        let old = self.state.withLock { state in
            let old = state
            if case .closed = state { return old }
            state = .user(socket)
            return old
        }
        switch old {
        case .without: self.observer(.cacheRecovered)
        case .owner(let old): old.stopAnswering(isReplaced: true)
        case .user, .closed: break
        }
    }

    private func takeOver(_ cache: Cache) {
        let owner = CacheOwner(cache, observer: self.observer)
        let old = self.state.withLock { state in
            let old = state
            if case .closed = state { return old }
            state = .owner(owner)
            return old
        }
        switch old {
        case .closed:
            owner.stopAnswering()
            cache.close()
        case .owner(let old):
            // Somebody removed its directory; who reads from it may finish.
            old.stopAnswering(isReplaced: true)
            self.observer(.cacheRecovered)
        case .without: self.observer(.cacheRecovered)
        case .user: break
        }
    }

    private func goWithout(_ error: CacheError, for pause: Duration) {
        let old = self.state.withLock { state in
            let old = state
            if case .closed = state { return old }
            state = .without(error, until: .now + pause)
            return old
        }
        switch old {
        case .closed, .without: return
        case .owner(let owner): owner.stopAnswering(isReplaced: true)
        case .user: break
        }
        self.observer(.cacheDegraded(reason: error.message))
    }

    /// Whether playing may go on without the directory: what failed is the disk, or what is there is of a newer Weir, and
    /// not who named it.
    private static func mayPass(_ error: CacheError) -> Bool {
        switch error.code {
        case .full, .io, .exhausted, .notWritable, .newerFormat: true
        default: false
        }
    }
}
