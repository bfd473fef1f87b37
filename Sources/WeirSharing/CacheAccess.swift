// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirCache
package import WeirSource

/// This process's access to a cache directory: as its owner, through its owner, or not at all.
///
/// When the owner has gone, the first process that notices it becomes the owner. When the disk
/// fails, media play without a cache, and the directory is tried again after a pause.
/// `AccessMachine` decides; this class performs its effects.
package final class CacheAccess: Sendable {
    typealias Machine = AccessMachine<CacheOwner>

    /// The cache directory, as an absolute path.
    package let directory: String

    /// Raised whenever the kind of access has changed, and when the access is closed.
    package let changes = Signal()
    let timeline: Timeline

    /// The settings of the download queue, if the user has set any, and the number of the owner
    /// that has received them.
    let downloadSettings = Mutex<(wanted: DownloadSettings?, hearer: Int?)>((nil, nil))
    /// The newest task that sends settings to an owner; each task waits for the previous one.
    let settingsTelling = Mutex<Task<Void, any Error>?>(nil)

    /// When an owner last did not answer a question for a text.
    let silentTexts = Mutex<Duration?>(nil)

    /// The callback for bytes that have become durable, while this process owns the directory.
    private let saved = Mutex<(@Sendable (Generation) -> Void)?>(nil)

    private let observer: SourceObserver
    private let endpoint: EndpointResolver
    private let attributes: DirectoryAttributes
    private let limits: Mutex<CacheLimits>
    private let maximumOpenFiles: Int
    private let machine: EffectQueue<Machine, Machine.Effect>
    /// The running step of opening the directory.
    private let step = Mutex<Task<Void, Never>?>(nil)

    /// Opens a directory, or finds that another process owns it.
    ///
    /// - Parameters:
    ///   - directory: the cache directory; created if it does not exist.
    ///   - limits: how much it may hold; the owner's limits apply while another process owns it.
    ///   - maximumOpenFiles: how many files of the cache stay open when no reader uses them.
    ///   - attributes: attributes of the directory for the system.
    ///   - observer: receives an event when the cache degrades and recovers, and the loader's
    ///     events.
    ///   - pause: how long an unusable directory is not tried again.
    ///   - clock: measures the time between two processes.
    ///   - endpoint: finds the endpoint of a directory's owner; `nil` for an owner that answers no
    ///     other process.
    /// - Throws: `CacheError` if the path is not a directory, or cannot be used at any time.
    package init(
        directory: String,
        limits: CacheLimits,
        maximumOpenFiles: Int = Cache.defaultMaximumOpenFiles,
        attributes: DirectoryAttributes = DirectoryAttributes(),
        observer: SourceObserver?,
        pause: Duration = .seconds(5),
        clock: any Clock<Duration> = SuspendingClock(),
        endpoint: @escaping EndpointResolver
    ) throws(CacheError) {
        let timeline = Timeline(clock)
        let path = Cache.absolutePath(directory)
        let hasEndpoint = endpoint(path, timeline) != nil
        let machine = EffectQueue<Machine, Machine.Effect>(
            Machine(directory: path, pause: pause, hasEndpoint: hasEndpoint)
        )
        // A weak reference: the machine holds the owner, the owner the cache, and the cache this
        // observer.
        let note: SourceObserver = { [weak machine] event in
            let now = timeline.elapsed()
            switch event {
            case .cacheDegraded: machine?.withState { _ = $0.handle(.degraded, at: now) }
            case .cacheRecovered:
                let owner = machine?.withState { machine in
                    _ = machine.handle(.recovered, at: now)
                    return machine.owner
                }
                owner??.downloads.report(.spaceFreed)
            default: break
            }
            observer?(event)
        }
        self.directory = path
        self.timeline = timeline
        self.endpoint = endpoint
        self.machine = machine
        self.observer = note
        self.limits = Mutex(limits)
        self.maximumOpenFiles = maximumOpenFiles
        self.attributes = attributes
        do throws(CacheError) {
            self.report(.opened(try self.ownedDirectory()))
        } catch {
            let canPass = Self.mayPass(error) && Cache.exists(inDirectory: directory)
            guard error.code == .inUse || canPass else { throw error }
            self.report(.openFailed(error))
        }
    }

    deinit {
        self.step.withLock { $0?.cancel() }
        guard let owner = self.owner else { return }
        owner.stopAnswering()
        // An unstructured task: it ends when the directory is closed. Without this task, remaining
        // work for other processes would keep the directory from the next owner.
        Task { await owner.close() }
    }

    /// Whether the directory can be used now, by this process or through its owner.
    package var isOpen: Bool { self.machine.withState { $0.isOpen } }

    /// The owner object, if this process owns the directory.
    package var owner: CacheOwner? { self.machine.withState { $0.owner } }

    /// Whether another process owns the directory, and answers.
    var isUsing: Bool {
        self.machine.withState { if case .using = $0.state { true } else { false } }
    }

    /// The endpoint at which the owner answers other processes.
    var address: OwnerAddress {
        OwnerAddress(
            endpoint: self.endpoint(self.directory, self.timeline),
            timeline: self.timeline
        )
    }

    /// Passes an event to the machine, and performs the effects.
    func report(_ event: Machine.Event) {
        let now = self.timeline.elapsed()
        self.machine.decide(
            performing: { self.perform($0) },
            { $1 += $0.handle(event, at: now) }
        )
    }

    /// Waits until the kind of access is known; tries an unusable directory again.
    ///
    /// - Returns: any state but `opening`.
    /// - Throws: `CancellationError`.
    func settledState() async throws -> Machine.State {
        let now = self.timeline.elapsed()
        if let owner = self.machine.withState({ $0.ownerToCheck(at: now) }), !owner.cache.isInPlace
        {
            self.report(.directoryRemoved)
        }
        self.report(.needed)
        while true {
            let count = self.changes.count
            let state = self.machine.withState { $0.state }
            guard case .opening = state else { return state }
            try await self.changes.wait(after: count)
        }
    }

    /// Performs work with the directory through the present kind of access; repeats the work after
    /// the owner has gone.
    ///
    /// - Parameters:
    ///   - attempts: how often to try.
    ///   - body: the work.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; `PeerError.disconnected` after the last attempt;
    ///   `CancellationError`.
    func reach<Result>(
        attempts: Int,
        _ body: (Machine.State) async throws -> Result
    ) async throws -> Result {
        for count in 0..<attempts {
            let state = try await self.settledState()
            do {
                return try await body(state)
            } catch let error as PeerError {
                try Task.checkCancellation()
                if case .using(let number, _) = state {
                    self.report(error == .silent ? .ownerSilent(number) : .ownerLost(number))
                } else if count > 0 {
                    // A process that lent its origin has gone, and its connection is about to end.
                    try await self.timeline.sleep(Machine.firstDelay)
                }
            } catch let error as CacheError where error.code == .inUse {
                guard case .using(let number, _) = state else { throw error }
                self.report(.ownerRefused(number, error))
            }
        }
        throw PeerError.disconnected
    }

    /// Notes the owner's limits, which this process keeps when it takes over.
    ///
    /// An owner without limits, such as a short command on the cache, does not change them.
    func learned(_ limits: CacheLimits) {
        guard limits != CacheLimits() else { return }
        self.limits.withLock { $0 = limits }
    }

    /// The limits of the cache; a directory that another process owns keeps its own.
    package var cacheLimits: CacheLimits {
        get { self.owner?.cache.limits ?? self.limits.withLock { $0 } }
        set {
            self.limits.withLock { $0 = newValue }
            self.owner?.cache.limits = newValue
        }
    }

    /// Carries out a command, in the process of the owner.
    ///
    /// - Throws: `CacheError`, `CancellationError`.
    package func perform(_ command: CacheCommand) async throws -> CommandResult {
        try await self.withOwner { owner -> Result<CommandResult, CacheError> in
            .success(try await command.perform(on: owner.cache))
        } elsewhere: { _ in
            // An owner that refuses a command may still serve readers.
            do {
                return .success(try await self.ask(command))
            } catch let error as CacheError {
                return .failure(error)
            }
        }.get()
    }

    /// Works in the process that owns the directory; works again after that process has gone and
    /// another owns it.
    ///
    /// - Parameters:
    ///   - here: the work if this process owns the directory.
    ///   - elsewhere: the work if another process does; its argument is the owner's number.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work; `CacheError` if no directory can be used;
    ///   `CancellationError`.
    func withOwner<Result>(
        _ here: (CacheOwner) async throws -> Result,
        elsewhere: (_ number: Int) async throws -> Result
    ) async throws -> Result {
        do {
            return try await self.reach(attempts: 10) { state in
                switch state {
                case .owning(let owner): try await here(owner)
                case .using(let number, _): try await elsewhere(number)
                case .without(let error, _): throw error
                case .opening, .closed: throw self.closedError
                }
            }
        } catch is PeerError {
            throw self.lostError
        }
    }

    /// Lets the owner carry out a command; the owner reports regularly that it is alive.
    private func ask(_ command: CacheCommand) async throws -> CommandResult {
        let connection = try await self.address.connect()
        try await connection.send(.command(command))
        while true {
            switch try await connection.within(.seconds(10), { try await connection.answer() }) {
            case .alive: continue
            case .done(let result): return result
            default: throw PeerError.disconnected
            }
        }
    }

    /// Releases the directory; everything that uses it fails from now on.
    package func close() async {
        let now = self.timeline.elapsed()
        let owner = self.machine.decide(
            performing: { self.perform($0) },
            { machine, effects -> CacheOwner? in
                defer { effects += machine.handle(.closed, at: now) }
                return machine.owner
            }
        )
        await owner?.close()
    }

    /// The error of every use of the directory after ``close()``.
    package var closedError: CacheError {
        CacheError(.closed, "The library was closed while it was still in use; open it again.")
    }

    /// The reason why a directory cannot be used whose owner disconnects again and again.
    package var lostError: CacheError {
        CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another process, whose connection broke again and again; try again, or end that process.",
            path: self.directory
        )
    }

    private func perform(_ effect: Machine.Effect) {
        switch effect {
        case .open: self.begin { await $0.open() }
        case .connect:
            self.begin { access in
                (try? await access.address.connect()) != nil ? .reached : .notReached
            }
        case .wait(let time):
            // Owned by this object, which cancels it; ends after the time.
            let task = Task { [timeline, weak self] in
                if (try? await timeline.sleep(time)) != nil { self?.report(.waited) }
            }
            self.step.withLock { $0 = task }
        case .cancel: self.step.withLock { $0?.cancel() }
        case .retire(let owner): owner.stopAnswering(isReplaced: true)
        case .discard(let owner):
            owner.stopAnswering()
            owner.cache.close()
        case .tellDegraded(let reason): self.observer(.cacheDegraded(reason: reason))
        case .tellRecovered: self.observer(.cacheRecovered)
        case .settle: self.changes.raise()
        }
    }

    /// Starts an attempt, whose result is the machine's next event.
    private func begin(_ attempt: @escaping @Sendable (CacheAccess) async -> Machine.Event) {
        // Owned by this object, which cancels it; ends with the attempt.
        let task = Task { [weak self] in
            guard let self else { return }
            self.report(await attempt(self))
        }
        self.step.withLock { $0 = task }
    }

    /// Opens the directory, outside the caller's executor, since it waits for the disk.
    @concurrent
    private func open() async -> Machine.Event {
        do throws(CacheError) {
            return .opened(try self.ownedDirectory())
        } catch {
            return .openFailed(error)
        }
    }

    /// Sets the callback for bytes that have become durable, while this process owns the directory.
    package func observeSaves(_ tell: @escaping @Sendable (Generation) -> Void) {
        self.saved.withLock { $0 = tell }
        self.owner?.cache.observeSaves(tell)
    }

    private func ownedDirectory() throws(CacheError) -> CacheOwner {
        let cache = try Cache(
            directory: self.directory,
            limits: self.limits.withLock { $0 },
            observer: self.observer,
            maximumOpenFiles: self.maximumOpenFiles,
            attributes: self.attributes
        )
        cache.observeSaves(self.saved.withLock { $0 })
        let owner = CacheOwner(
            cache,
            endpoint: self.address.endpoint,
            timeline: self.timeline,
            observer: self.observer
        )
        let settings = self.downloadSettings.withLock { $0.wanted }
        if let settings { owner.downloads.report(.set(settings)) }
        return owner
    }

    /// Whether media may play without the directory.
    ///
    /// `true` if the disk failed, is full or cannot be written, if file descriptors or memory ran
    /// out, or if a newer Weir wrote the directory. The caller also checks that the path is a cache
    /// directory.
    private static func mayPass(_ error: CacheError) -> Bool {
        switch error.code {
        case .full, .io, .exhausted, .notWritable, .newerFormat: true
        default: false
        }
    }
}
