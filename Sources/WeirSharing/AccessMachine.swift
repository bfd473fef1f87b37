// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// Decides how a process uses a cache directory: as its owner, through its owner, or not at all.
///
/// The machine receives events with their times, and returns effects; it does nothing itself. While
/// the directory is being opened, exactly one of ``Effect/open``, ``Effect/connect`` and
/// ``Effect/wait(_:)`` runs. Its result is the next event:
///
///     open ─▶ opened ─▶ owning
///          ─▶ openFailed: another process has the lock ─▶ connect ─▶ reached ─▶ using
///          │                                                     ─▶ notReached ─▶ wait
///          ─▶ openFailed for another reason ─▶ without
///     wait ─▶ waited ─▶ open
///
/// The loss of an owner is an event: its connections end. A free lock and a new endpoint do not
/// cause events on every platform. Therefore the machine tries again after ``firstDelay``, then
/// after twice as long each time up to ``longestDelay``, for ``patience`` in all.
struct AccessMachine<Owner: Sendable>: Sendable {
    /// How the process uses the directory.
    enum State: Sendable {
        /// Not known yet, or no longer.
        case opening(Opening)
        /// This process owns the directory.
        case owning(Owner)
        /// Another process owns it; each owner that is found has its own number.
        case using(number: Int, since: Duration)
        /// The process cannot use the directory, for this reason; the next use after that time
        /// tries again.
        case without(CacheError, until: Duration)
        case closed
    }

    /// The state while the directory is being opened.
    struct Opening: Sendable {
        /// The previous state.
        enum Former: Sendable {
            case start
            /// The directory was removed; readers use the old one until there is a new one.
            case owning(Owner)
            case using
            case without
        }

        var former: Former
        /// When to give up.
        var deadline: Duration
        /// How long to wait after the next attempt.
        var delay: Duration
    }

    /// An event.
    enum Event: Sendable {
        /// The process has the lock.
        case opened(Owner)
        case openFailed(CacheError)
        /// The owner's endpoint responded.
        case reached
        case notReached
        /// The time of ``Effect/wait(_:)`` has passed.
        case waited
        /// The process needs the directory.
        case needed
        /// The connection to the owner with this number ended, or the owner temporarily refused it.
        case ownerLost(Int)
        /// The owner with this number did not respond.
        case ownerSilent(Int)
        /// The owner with this number cannot exchange messages with this process.
        case ownerRefused(Int, CacheError)
        /// The owned directory was removed or replaced.
        case directoryRemoved
        /// A report of the cache.
        case degraded
        case recovered
        case closed
    }

    /// An action for the shell.
    enum Effect: Sendable {
        /// Try to take the lock and to open the directory.
        case open
        /// Try to connect to the owner.
        case connect
        case wait(Duration)
        /// End the running ``open``, ``connect`` or ``wait(_:)``.
        case cancel
        /// Stop answering other processes; there is another owner already, or the directory is
        /// gone.
        case retire(Owner)
        /// Close a directory that was opened too late.
        case discard(Owner)
        case tellDegraded(String)
        case tellRecovered
        /// Wake the waiting tasks: the state has changed, and is not `opening`.
        case settle
    }

    static var patience: Duration { .seconds(10) }
    static var firstDelay: Duration { .milliseconds(25) }
    static var longestDelay: Duration { .milliseconds(400) }
    /// How long a directory is not tried again after its owner was silent or refused.
    static var longPause: Duration { .seconds(60) }
    /// If an owner was used for this time, its loss does not cause a delay.
    static var steadyTime: Duration { .seconds(1) }

    private(set) var state: State
    private let directory: String
    /// How long an unusable directory is not tried again, and a degraded one is not checked again.
    private let pause: Duration
    /// Whether an owner can be reached: the directory has an endpoint.
    private let hasEndpoint: Bool
    private var lastNumber = 0
    /// How often in a row an owner was lost soon after it was found.
    private var lossCount = 0
    /// When to check whether the directory still exists; `nil` unless the cache is degraded.
    private var nextLook: Duration?

    init(directory: String, pause: Duration, hasEndpoint: Bool = true) {
        self.directory = directory
        self.pause = pause
        self.hasEndpoint = hasEndpoint
        self.state = .opening(Opening(former: .start, deadline: .zero, delay: .zero))
    }

    /// Whether the directory can be used.
    var isOpen: Bool {
        switch self.state {
        case .owning, .using: true
        case .opening, .without, .closed: false
        }
    }

    var owner: Owner? {
        switch self.state {
        case .owning(let owner): owner
        case .opening(let opening):
            if case .owning(let owner) = opening.former { owner } else { nil }
        case .using, .without, .closed: nil
        }
    }

    /// The owner whose directory must be checked because its cache degraded; not again before a
    /// pause.
    mutating func ownerToCheck(at now: Duration) -> Owner? {
        guard case .owning(let owner) = self.state, let due = self.nextLook, due <= now else {
            return nil
        }
        self.nextLook = now + self.pause
        return owner
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time, on a clock that only moves forward.
    /// - Returns: the effects, in order.
    mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        switch event {
        case .degraded: self.nextLook = now
        case .recovered: self.nextLook = nil
        case .closed: return self.close()
        default:
            switch self.state {
            case .opening(let opening): return self.handle(event, while: opening, at: now)
            case .owning(let owner):
                if case .directoryRemoved = event {
                    return self.open(after: .owning(owner), at: now)
                }
            case .using(let number, let since):
                return self.handle(event, using: number, since: since, at: now)
            case .without(_, let time):
                if case .needed = event, time < now { return self.open(after: .without, at: now) }
            case .closed: break
            }
            if case .opened(let late) = event { return [.discard(late)] }
        }
        return []
    }

    /// Starts to look for an owner, or to become the owner.
    private mutating func open(after former: Opening.Former, at now: Duration) -> [Effect] {
        self.state = .opening(
            Opening(former: former, deadline: now + Self.patience, delay: Self.firstDelay)
        )
        guard case .using = former, self.lossCount > 1 else { return [.open] }
        // The owner answers and disconnects again and again.
        let factor = 1 << min(self.lossCount - 2, 4)
        return [.wait(min(Self.firstDelay * factor, Self.longestDelay))]
    }

    private mutating func handle(_ event: Event, while opening: Opening, at now: Duration)
        -> [Effect]
    {
        switch event {
        case .opened(let owner):
            self.state = .owning(owner)
            return self.leave(opening, isUsable: true) + [.settle]
        case .openFailed(let error):
            guard error.code == .inUse else {
                return self.goWithout(error, after: opening, until: now + self.pause)
            }
            guard self.hasEndpoint else {
                return self.goWithout(self.solitude, after: opening, until: now + self.pause)
            }
            // The first opening does not connect: the process connects to the owner when it needs
            // the directory.
            if case .start = opening.former { return self.use(after: opening, at: now) }
            return [.connect]
        case .reached:
            return self.use(after: opening, at: now)
        case .notReached:
            guard now < opening.deadline else {
                return self.goWithout(self.silence, after: opening, until: now + Self.longPause)
            }
            var next = opening
            next.delay = min(opening.delay * 2, Self.longestDelay)
            self.state = .opening(next)
            return [.wait(opening.delay)]
        case .waited: return [.open]
        case .needed, .ownerLost, .ownerSilent, .ownerRefused, .directoryRemoved: return []
        case .degraded, .recovered, .closed: return []
        }
    }

    private mutating func handle(
        _ event: Event,
        using number: Int,
        since: Duration,
        at now: Duration
    ) -> [Effect] {
        switch event {
        case .ownerLost(number):
            self.lossCount = now - since < Self.steadyTime ? self.lossCount + 1 : 1
            return self.open(after: .using, at: now)
        case .ownerSilent(number):
            self.state = .without(self.silence, until: now + Self.longPause)
            return [.tellDegraded(self.silence.message), .settle]
        case .ownerRefused(number, let error):
            self.state = .without(error, until: now + Self.longPause)
            return [.tellDegraded(error.message), .settle]
        case .opened(let late): return [.discard(late)]
        default: return []
        }
    }

    private mutating func use(after opening: Opening, at now: Duration) -> [Effect] {
        self.lastNumber += 1
        self.state = .using(number: self.lastNumber, since: now)
        return self.leave(opening, isUsable: true) + [.settle]
    }

    private mutating func goWithout(
        _ error: CacheError,
        after opening: Opening,
        until time: Duration
    ) -> [Effect] {
        self.state = .without(error, until: time)
        let effects = self.leave(opening, isUsable: false)
        if case .without = opening.former { return effects + [.settle] }
        return effects + [.tellDegraded(error.message), .settle]
    }

    /// The effects of leaving the state `opening`.
    private func leave(_ opening: Opening, isUsable: Bool) -> [Effect] {
        let recovery: [Effect] = isUsable ? [.tellRecovered] : []
        return switch opening.former {
        case .owning(let owner): [.retire(owner)] + recovery
        case .without: recovery
        case .start, .using: []
        }
    }

    private mutating func close() -> [Effect] {
        defer { self.state = .closed }
        guard case .opening = self.state else { return [.settle] }
        return [.cancel, .settle]
    }

    /// The reason why a directory with an unreachable owner is not used.
    private var solitude: CacheError {
        CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another library, which cannot share it on this system;"
                + " use one library for one directory.",
            path: self.directory
        )
    }

    /// The reason why a directory with a silent owner is not used.
    private var silence: CacheError {
        CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another process, which does not answer; end that process.",
            path: self.directory
        )
    }
}
