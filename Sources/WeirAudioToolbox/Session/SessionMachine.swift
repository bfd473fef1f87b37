// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides what a player does when the system takes its sound away, gives it back, or sends it elsewhere, and when the
/// session is active.
///
/// Pure: events in, effects out; it knows no session, no player and no time. Two rules stand above all: what the user
/// paused stays paused, and what came out of headphones does not go on through a loudspeaker. The session is active
/// from the moment at which the player wants to sound until it has stopped, and a pause keeps it.
package struct SessionMachine: Hashable, Sendable {
    /// Which part of the sound the system leaves to the player.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The sound is the player's.
        case free
        /// Another application has it.
        case interrupted
        /// Another application has it, and the headphones have gone since: it must not go on by itself.
        case interruptedAndUnplugged
        /// The media server has gone.
        case lost
        /// The media server has gone, and nothing is to go on by itself when it is back.
        case lostAndSilent
    }

    /// Which part of the sound the system leaves to the player.
    package private(set) var state: State
    /// Whether the session is active, as far as the system has told.
    package private(set) var isActive: Bool

    /// A machine.
    ///
    /// - Parameters:
    ///   - state: where it begins.
    ///   - isActive: whether the session is active then.
    package init(state: State = .free, isActive: Bool = false) {
        self.state = state
        self.isActive = isActive
    }

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - event: what the system or the player tells.
    ///   - userHolds: whether the user has paused or stopped the player, as it is now.
    /// - Returns: what is to be done.
    package mutating func handle(_ event: SessionEvent, userHolds: Bool) -> [SessionEffect] {
        switch event {
        case .interruptionBegan: return self.begin()
        case .interruptionEnded(let shouldResume):
            return self.end(resumes: shouldResume && !userHolds)
        case .routeChanged(let change): return self.route(change, userHolds: userHolds)
        case .routeDisconnected:
            self.isActive = false
            return self.route(.oldDeviceUnavailable, userHolds: userHolds)
        case .mediaServicesLost: return self.lose()
        case .mediaServicesReset: return self.reset(userHolds: userHolds)
        case .activated(let isActive):
            self.isActive = isActive
            return []
        case .needChanged(let need): return self.meet(need)
        }
    }

    /// The player wants to sound, is silent, or has stopped.
    private mutating func meet(_ need: SoundNeed) -> [SessionEffect] {
        switch (need, self.state) {
        case (.sound, .free): return self.isActive ? [] : self.activate()
        // The user lets it go on, though no end was told: none need follow an interruption.
        case (.sound, .interrupted), (.sound, .interruptedAndUnplugged):
            self.state = .free
            return self.activate()
        // Nothing can sound before the media server is back.
        case (.sound, .lost), (.sound, .lostAndSilent): return []
        case (.silence, _): return []
        case (.none, _):
            guard self.isActive else { return [] }
            self.isActive = false
            return [.deactivate]
        }
    }

    /// Until the system says otherwise, the session is active then.
    private mutating func activate() -> [SessionEffect] {
        self.isActive = true
        return [.activate]
    }

    /// The system sometimes tells twice of one interruption, and an end need not follow.
    private mutating func begin() -> [SessionEffect] {
        self.isActive = false
        guard self.state == .free else { return [] }
        self.state = .interrupted
        return [.hold]
    }

    private mutating func end(resumes: Bool) -> [SessionEffect] {
        switch self.state {
        case .free: return []
        // The media server is away: its return ends this, and nothing can sound before.
        case .lost, .lostAndSilent: return []
        case .interrupted:
            self.state = .free
            return resumes
                ? self.activate() + [.release(resumes: true)] : [.release(resumes: false)]
        case .interruptedAndUnplugged:
            self.state = .free
            return [.release(resumes: false)]
        }
    }

    private mutating func route(_ change: RouteChange, userHolds: Bool) -> [SessionEffect] {
        // All else the audio engine tells by itself, where its format changes, and the delay is read anew each time.
        guard change == .oldDeviceUnavailable else { return [] }
        switch self.state {
        case .free: return userHolds ? [] : [.pause]
        case .interrupted: self.state = .interruptedAndUnplugged
        case .lost: self.state = .lostAndSilent
        case .interruptedAndUnplugged, .lostAndSilent: break
        }
        return []
    }

    private mutating func lose() -> [SessionEffect] {
        self.isActive = false
        switch self.state {
        case .free:
            self.state = .lost
            return [.hold]
        // The end of the interruption may never be told now; the user decides when to go on.
        case .interrupted, .interruptedAndUnplugged:
            self.state = .lostAndSilent
            return []
        case .lost, .lostAndSilent: return []
        }
    }

    /// The loss is not always told before the reset.
    private mutating func reset(userHolds: Bool) -> [SessionEffect] {
        let before = self.state
        self.state = .free
        self.isActive = false
        switch before {
        case .free:
            return userHolds
                ? [.configure, .renewSink] : [.configure] + self.activate() + [.renewSink]
        case .lost where !userHolds:
            return [.configure] + self.activate() + [.renewSink, .release(resumes: true)]
        case .lost, .lostAndSilent, .interrupted, .interruptedAndUnplugged:
            return [.configure, .renewSink, .release(resumes: false)]
        }
    }
}

/// What the system tells of its sound, and the player of its own.
package enum SessionEvent: Hashable, Sendable {
    /// Another application took the sound: a call, an alarm, another player.
    case interruptionBegan
    /// It gave the sound back, with a hint whether to go on.
    case interruptionEnded(shouldResume: Bool)
    /// Sound goes another way.
    case routeChanged(RouteChange)
    /// What sound came out of has gone, and the system has deactivated the session for it; no end is told.
    case routeDisconnected
    /// The system's media server has gone; nothing sounds until it is back.
    case mediaServicesLost
    /// The media server is back, and nothing that was made before is of use.
    case mediaServicesReset
    /// The session was to be activated or deactivated; whether it is active now.
    case activated(Bool)
    /// The player needs the sound otherwise than before.
    case needChanged(SoundNeed)
}

/// What a player needs the session for.
package enum SoundNeed: Hashable, Sendable, CaseIterable {
    /// It sounds, or is about to.
    case sound
    /// It is paused, or has not begun: the session stays as it is.
    case silence
    /// It has stopped, and its sink is closed.
    case none
}

/// Why sound goes another way than before.
package enum RouteChange: String, Hashable, Sendable, CaseIterable {
    /// The system gives no reason.
    case unknown
    /// Something was plugged in, or connected.
    case newDeviceAvailable
    /// What sound came out of has gone: the headphones were pulled.
    case oldDeviceUnavailable
    /// The application wants sound treated otherwise.
    case categoryChange
    /// The application, or the user, has chosen another way.
    case override
    /// The device woke up.
    case wakeFromSleep
    /// There is no way for what the application wants.
    case noSuitableRoute
    /// The same devices, otherwise arranged.
    case routeConfigurationChange
}

/// What is to be done with the player and the session, in the order given.
package enum SessionEffect: Hashable, Sendable {
    /// The player is silent for a time, without a wish of the user.
    case hold
    /// The silence is over; with `resumes`, sound goes on if it went before.
    case release(resumes: Bool)
    /// The player pauses, as if the user had paused it.
    case pause
    /// The session is configured anew.
    case configure
    /// The session takes the sound, before it can go on.
    case activate
    /// The session gives the sound back, and the system tells other applications that they may go on.
    case deactivate
    /// The sink is to be opened anew.
    case renewSink
}
