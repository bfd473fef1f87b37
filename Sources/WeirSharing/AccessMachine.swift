// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// Decides how a process comes at a cache directory: as its owner, through the process that owns it, or not at all.
///
/// The machine is told what happened and at which time, and answers what is to be done; it does nothing itself. While
/// the directory is being opened exactly one of ``Effect/open``, ``Effect/connect`` and ``Effect/wait(_:)`` is under
/// way, and its outcome is the next event:
///
///     open ─▶ opened ─▶ owning
///          ─▶ openFailed: another process has the lock ─▶ connect ─▶ reached ─▶ using
///          │                                                     ─▶ notReached ─▶ wait ─▶ waited ─▶ open
///          ─▶ openFailed for another reason ─▶ without
///
/// The loss of an owner is an event: its connections end. A free lock and a new endpoint are no events on every platform,
/// so the machine tries again after ``firstDelay``, then after twice as long each time up to ``longestDelay``, for
/// ``patience`` in all.
struct AccessMachine<Owner: Sendable>: Sendable {
    /// How the process comes at the directory.
    enum State: Sendable {
        /// Not known yet, or no longer.
        case opening(Opening)
        /// This process owns the directory.
        case owning(Owner)
        /// Another process owns it. Each time that one was found has a number of its own.
        case using(number: Int, since: Duration)
        /// Nothing can be kept, for this reason; tried again after a time.
        case without(CacheError, until: Duration)
        case closed
    }

    /// What is known while the directory is being opened.
    struct Opening: Sendable {
        /// What was before.
        enum Former: Sendable {
            case start
            /// The directory was removed; readers go on in the old one until there is another.
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

    /// What happened.
    enum Event: Sendable {
        /// The process has the lock.
        case opened(Owner)
        case openFailed(CacheError)
        /// The owner's endpoint answered, or did not.
        case reached
        case notReached
        /// The time of ``Effect/wait(_:)`` has passed.
        case waited
        /// The directory is to be used.
        case needed
        /// The connection to the owner with this number ended, or the owner refused it for the moment.
        case ownerLost(Int)
        /// The owner with this number did not answer.
        case ownerSilent(Int)
        /// The owner with this number cannot be spoken with.
        case ownerRefused(Int, CacheError)
        /// The directory that is owned is no longer in its place.
        case directoryRemoved
        /// What the cache says of itself.
        case degraded
        case recovered
        case closed
    }

    /// What is to be done.
    enum Effect: Sendable {
        /// Try to take the lock and to open the directory.
        case open
        /// Try to connect to the owner.
        case connect
        case wait(Duration)
        /// End what is under way of these three.
        case cancel
        /// Stop answering others; another owner is there already, or the directory is not.
        case retire(Owner)
        /// Let go of a directory that was opened too late.
        case discard(Owner)
        case tellDegraded(String)
        case tellRecovered
        /// Tell the tasks that wait that the state is another one, and not `opening`.
        case settle
    }

    static var patience: Duration { .seconds(10) }
    static var firstDelay: Duration { .milliseconds(25) }
    static var longestDelay: Duration { .milliseconds(400) }
    /// How long a directory is left alone whose owner is silent or refuses.
    static var longPause: Duration { .seconds(60) }
    /// An owner that was used for so long without a loss is not waited for when it is lost.
    static var steadyTime: Duration { .seconds(1) }

    private(set) var state: State
    private let directory: String
    /// How long a directory that could not be used is left alone, and one that degraded is not looked at again.
    private let pause: Duration
    /// Whether an owner can be reached at all: the directory has an endpoint.
    private let hasEndpoint: Bool
    private var lastNumber = 0
    /// How often in a row an owner was lost soon after it was found.
    private var lossCount = 0
    /// When to look whether the directory is in its place; `nil` while the cache does not complain.
    private var nextLook: Duration?

    init(directory: String, pause: Duration, hasEndpoint: Bool = true) {
        self.directory = directory
        self.pause = pause
        self.hasEndpoint = hasEndpoint
        self.state = .opening(Opening(former: .start, deadline: .zero, delay: .zero))
    }

    /// Whether the folder can be used.
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

    /// The owner whose directory should be looked for, since its cache degraded; not again before a pause.
    mutating func ownerToCheck(at now: Duration) -> Owner? {
        guard case .owning(let owner) = self.state, let due = self.nextLook, due <= now else {
            return nil
        }
        self.nextLook = now + self.pause
        return owner
    }

    /// Takes an event in.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time, on a clock that only moves forward.
    /// - Returns: what is to be done, in this order.
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

    /// Starts to look for the owner, or to become it.
    private mutating func open(after former: Opening.Former, at now: Duration) -> [Effect] {
        self.state = .opening(
            Opening(former: former, deadline: now + Self.patience, delay: Self.firstDelay)
        )
        guard case .using = former, self.lossCount > 1 else { return [.open] }
        // The owner answers and breaks off again and again.
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
            // At first the directory is only opened; its owner is looked for when it is needed.
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

    /// What follows from the end of the opening, whatever came of it.
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

    /// Why a directory is not used whose owner cannot be reached.
    private var solitude: CacheError {
        CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another library, which cannot share it on this system;"
                + " use one library for one directory.",
            path: self.directory
        )
    }

    /// Why a directory is not used whose owner does not answer.
    private var silence: CacheError {
        CacheError(
            .inUse,
            "The cache directory \(self.directory) is used by another process, which does not answer; end that process.",
            path: self.directory
        )
    }
}
