// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a playlist is requested from its origin, and the answers to its viewers in the
/// meantime.
///
/// A viewer is a client that requests the playlist. A complete playlist is kept, and the origin is
/// asked to confirm it when the last confirmation is older than `freshness`. A changing playlist is
/// polled once for all viewers, as RFC 8216 §6.3.4 says. The next poll is one target duration after
/// the start of the last load. It is half a target duration after it if that load failed or brought
/// nothing new. Polls end three target durations after the last viewer's request.
///
/// A pure machine: past-tense events with their time go in, effects come out. It has no clock and
/// no I/O.
package struct PlaylistMachine: Sendable {
    /// The answer to a viewer.
    package enum Reply: Hashable, Sendable {
        /// The current text.
        case current
        /// The result of the load that runs or begins now; after this time,
        /// ``reply(withoutLoadAt:)`` gives the answer.
        ///
        /// `nil` for no limit other than the load's own: there is no text yet.
        case loaded(within: Duration?)
        /// No text: the origin has been unreachable for too long. The viewer may ask again after
        /// this time.
        case unavailable(retryAfter: Duration)
    }

    /// The effects of an event.
    package struct Effects: Hashable, Sendable {
        /// The answer to the event's viewer; `nil` for an event without a viewer.
        package var reply: Reply?
        /// Whether to request the playlist from the origin.
        package var loads = false
        /// The time at which to call ``timePassed(at:)``; `nil` for never.
        package var wakes: Duration?

        /// No effect.
        package static let none = Effects()
    }

    /// The facts of a successful load.
    package struct Loaded: Hashable, Sendable {
        package let life: Playlist.Life
        package let targetDuration: Duration
        /// Whether the text differs from the former one.
        package let isChanged: Bool
        /// The time since the load of this text began, perhaps in another process; `nil` for the
        /// load that this machine wanted.
        package let age: Duration?

        package init(
            life: Playlist.Life,
            targetDuration: Duration,
            isChanged: Bool,
            age: Duration? = nil
        ) {
            self.life = life
            self.targetDuration = targetDuration
            self.isChanged = isChanged
            self.age = age
        }
    }

    /// How a load ended.
    private enum Outcome {
        case news
        case nothingNew
        case failed
    }

    /// How long a complete playlist counts as confirmed; `nil` for ever.
    private let freshness: Duration?
    /// The life of the current text; `nil` without a text.
    private var life: Playlist.Life?
    private var target = Duration.seconds(1)
    /// The start of the running load.
    private var loadBegan: Duration?
    /// The start and the outcome of the last load that ended.
    private var lastLoad: (began: Duration, outcome: Outcome)?
    private var lastConfirmed: Duration?
    private var lastChanged = Duration.zero
    private var lastViewer: Duration?

    /// How long a viewer of a text that is too old waits for a new one, at least.
    private static let leastWait = Duration.seconds(3)

    /// How long a viewer of a complete playlist waits for the origin's confirmation.
    private static let patience = Duration.seconds(2)

    /// - Parameter freshness: how long a complete playlist counts as confirmed; `nil` for ever.
    package init(freshness: Duration?) {
        self.freshness = freshness
    }

    // MARK: Events

    /// A viewer asked for the playlist.
    package mutating func requested(at now: Duration) -> Effects {
        self.lastViewer = now
        guard let life = self.life else { return self.load(within: nil, at: now) }
        if life == .complete {
            return self.isConfirmed(at: now)
                ? Effects(reply: .current) : self.load(within: Self.patience, at: now)
        }
        guard let due = self.due, now < due, self.loadBegan == nil else {
            return self.load(
                within: self.isUsable(at: now) ? self.target / 2 : max(self.target, Self.leastWait),
                at: now
            )
        }
        // A viewer that comes shortly before a poll waits for the poll, since both come at the same
        // interval.
        let isNear = due - now <= self.target / 10
        let reply = isNear ? .loaded(within: self.target / 2) : self.reply(withoutLoadAt: now)
        return Effects(reply: reply, wakes: due)
    }

    /// A load brought a playlist, or the origin's confirmation of the current text.
    package mutating func loaded(_ loaded: Loaded, at now: Duration) -> Effects {
        let isNews = loaded.isChanged || self.life == nil
        let began = loaded.age.map { now - $0 } ?? self.loadBegan ?? now
        if isNews { self.lastChanged = loaded.age == nil ? now : began }
        self.ended(isNews ? .news : .nothingNew, since: began)
        self.life = loaded.life
        self.target = max(.seconds(1), loaded.targetDuration)
        self.lastConfirmed = now
        return Effects(wakes: self.nextPoll(at: now))
    }

    /// A load failed.
    package mutating func failed(at now: Duration) -> Effects {
        self.ended(.failed, since: self.loadBegan ?? now)
        return Effects(wakes: self.nextPoll(at: now))
    }

    /// The time of an earlier effect has come.
    package mutating func timePassed(at now: Duration) -> Effects {
        guard self.loadBegan == nil, let poll = self.nextPoll(at: now) else { return Effects() }
        guard poll <= now else { return Effects(wakes: poll) }
        self.loadBegan = now
        return Effects(loads: true)
    }

    /// The answer to a viewer that does not wait for a load, or whose load failed; `nil` without a
    /// text.
    package func reply(withoutLoadAt now: Duration) -> Reply? {
        guard let life = self.life else { return nil }
        let isAway = self.lastLoad?.outcome == .failed || self.loadBegan != nil
        guard life != .complete, isAway, !self.isUsable(at: now) else { return .current }
        return .unavailable(retryAfter: self.target)
    }

    // MARK: Rules

    private mutating func load(within patience: Duration?, at now: Duration) -> Effects {
        let isFirst = self.loadBegan == nil
        if isFirst { self.loadBegan = now }
        return Effects(reply: .loaded(within: patience), loads: isFirst)
    }

    private mutating func ended(_ outcome: Outcome, since began: Duration) {
        guard self.loadBegan != nil else { return }
        self.loadBegan = nil
        self.lastLoad = (began, outcome)
    }

    private func isConfirmed(at now: Duration) -> Bool {
        guard let lastConfirmed = self.lastConfirmed else { return false }
        return self.freshness.map { now - lastConfirmed < $0 } ?? true
    }

    /// Whether the text of a changing playlist is still new enough while the origin cannot be
    /// reached.
    ///
    /// Players give up a live playlist that does not change for 1.5 target durations.
    private func isUsable(at now: Duration) -> Bool {
        now - self.lastChanged <= self.target * 3 / 2
    }

    /// When the next poll is due.
    private var due: Duration? {
        guard let (began, outcome) = self.lastLoad else { return nil }
        return began + (outcome == .news ? self.target : self.target / 2)
    }

    /// When to poll for the present viewers; `nil` for no poll.
    private func nextPoll(at now: Duration) -> Duration? {
        guard let life = self.life, life != .complete, let lastViewer, let due = self.due,
            due < lastViewer + self.target * 3
        else { return nil }
        return due
    }
}
