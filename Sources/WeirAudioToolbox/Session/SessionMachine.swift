// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides what a player does when the system interrupts, restores or reroutes its audio.
///
/// It also decides when the session is active. Pure: events in, effects out, without a session, a
/// player or a clock. Two rules have priority: a player that the user paused stays paused, and
/// audio from headphones does not go on through a loudspeaker. The session is active from the
/// moment when the player needs to play until it has stopped; a pause keeps the session active.
package struct SessionMachine: Hashable, Sendable {
    /// Whether the player may play, according to the system.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The player may play.
        case free
        /// Another application has the audio.
        case interrupted
        /// Another application has the audio, and the headphones were removed since: playing must
        /// not resume by itself.
        case interruptedAndUnplugged
        /// The media server is gone.
        case lost
        /// The media server is gone, and playing must not resume automatically when it is back.
        case lostAndSilent
    }

    /// Whether the player may play, according to the system.
    package private(set) var state: State
    /// Whether the session is active, as far as is known.
    package private(set) var isActive: Bool

    /// Makes a machine.
    ///
    /// - Parameters:
    ///   - state: the first state.
    ///   - isActive: whether the session is active at the start.
    package init(state: State = .free, isActive: Bool = false) {
        self.state = state
        self.isActive = isActive
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: the event of the system or the player.
    ///   - userHolds: whether the user has paused or stopped the player, as of now.
    /// - Returns: the effects to perform.
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

    /// The player needs to play, is silent, or has stopped.
    private mutating func meet(_ need: SoundNeed) -> [SessionEffect] {
        switch (need, self.state) {
        case (.sound, .free): return self.isActive ? [] : self.activate()
        // The user resumes the player, though no end was reported: an interruption need not have an
        // end.
        case (.sound, .interrupted), (.sound, .interruptedAndUnplugged):
            self.state = .free
            return self.activate()
        // No audio can play before the media server is back.
        case (.sound, .lost), (.sound, .lostAndSilent): return []
        case (.silence, _): return []
        case (.none, _):
            guard self.isActive else { return [] }
            self.isActive = false
            return [.deactivate]
        }
    }

    /// Activates the session, which counts as active until the system reports otherwise.
    private mutating func activate() -> [SessionEffect] {
        self.isActive = true
        return [.activate]
    }

    /// Begins an interruption; the system sometimes reports one twice, and an end need not follow.
    private mutating func begin() -> [SessionEffect] {
        self.isActive = false
        guard self.state == .free else { return [] }
        self.state = .interrupted
        return [.hold]
    }

    private mutating func end(resumes: Bool) -> [SessionEffect] {
        switch self.state {
        case .free: return []
        // The media server is gone: its return ends the interruption, and no audio can play before.
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
        // The audio engine reports other changes itself if its format changes, and the delay is
        // read again each time.
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
        // The end of the interruption may never be reported now; the user decides when to go on.
        case .interrupted, .interruptedAndUnplugged:
            self.state = .lostAndSilent
            return []
        case .lost, .lostAndSilent: return []
        }
    }

    /// Handles the return of the media server; its loss is not always reported before.
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

/// An event of the system's audio, or of the player.
package enum SessionEvent: Hashable, Sendable {
    /// Another application took the sound: a call, an alarm, another player.
    case interruptionBegan
    /// The other application released the sound; the system hints whether to go on.
    case interruptionEnded(shouldResume: Bool)
    /// The audio has another route.
    case routeChanged(RouteChange)
    /// The output device is gone, and the system has deactivated the session; no event ends this
    /// interruption.
    case routeDisconnected
    /// The system's media server is gone; no audio plays until it is back.
    case mediaServicesLost
    /// The media server is back, and objects made before it can no longer be used.
    case mediaServicesReset
    /// The result of an activation or a deactivation: whether the session is active now.
    case activated(Bool)
    /// The player's need has changed.
    case needChanged(SoundNeed)
}

/// A player's need for the session.
package enum SoundNeed: Hashable, Sendable, CaseIterable {
    /// It plays, or is about to.
    case sound
    /// It is paused, or has not begun: the session stays as it is.
    case silence
    /// It has stopped, and its sink is closed.
    case none
}

/// The reason of a route change.
package enum RouteChange: String, Hashable, Sendable, CaseIterable {
    /// The system gives no reason.
    case unknown
    /// A device was plugged in, or connected.
    case newDeviceAvailable
    /// The output device is gone: the headphones were removed.
    case oldDeviceUnavailable
    /// The application has set another category.
    case categoryChange
    /// The application, or the user, has chosen another route.
    case override
    /// The device woke up.
    case wakeFromSleep
    /// There is no route for the application's category.
    case noSuitableRoute
    /// The same devices, in another configuration.
    case routeConfigurationChange
}

/// An effect on the player or the session, to perform in order.
package enum SessionEffect: Hashable, Sendable {
    /// Silences the player for a time; the user has not asked for this.
    case hold
    /// Ends the silence; with `resumes`, the player goes on if it played before.
    case release(resumes: Bool)
    /// Pauses the player, as if the user had paused it.
    case pause
    /// Configures the session again.
    case configure
    /// Activates the session, before the player can go on.
    case activate
    /// Deactivates the session, and the system tells other applications that they may go on.
    case deactivate
    /// Opens the sink again.
    case renewSink
}
