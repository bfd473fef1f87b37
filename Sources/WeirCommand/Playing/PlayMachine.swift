// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirPlayback

/// Decides what a session of `weir play` does: what keys, signals, seconds and the player's events lead to, and how the
/// session ends.
///
/// Pure: an event comes with the player's snapshot where it matters; the effects are returned in order.
struct PlayMachine {
    enum Effect: Hashable, Sendable {
        case pause
        case resume
        case seek(by: Duration)
        case setVolume(Double)
        case setMuted(Bool)
        case next
        case previous
        case goLive
        case stop
        /// Play all from the beginning.
        case playAgain
        /// Record the station of an item, into files that are split at titles.
        case beginRecording(item: Int)
        /// End the recording; its last file becomes whole.
        case endRecording
        case toggleHelp
        /// Tell the user.
        case note(String)
        /// End the program without waiting for the player.
        case exit
    }

    enum Ending: Sendable {
        /// By itself, or at the wanted length.
        case over(PlayerSnapshot)
        /// By itself, and nothing was heard, although nothing failed.
        case unheard
        /// By a key: who ends it so is not told of what was said before.
        case quit
        /// By itself or at the wanted length, though an item could not be played: the first of the worst failures, and
        /// the item that it is of.
        case incomplete(PlayerFailure, item: Int?)
        /// By itself, or by a key, though a wanted recording could not be made, or not to its end: why.
        case unrecorded(String)
        /// By a signal.
        case signal(Int32)
    }

    /// Which items are stations.
    private let isStation: [Bool]
    /// Whether every station is recorded, not only on a key.
    private let recordsAll: Bool
    /// Whether all is played again at its end.
    private let repeats: Bool
    /// The item whose recording was begun and not ended.
    private(set) var recordedItem: Int?
    /// The item whose recording the user has ended: it does not begin again by itself while that item plays.
    private var unwantedItem: Int?
    /// Whether the player has told that it stopped, after which it tells nothing.
    private(set) var isOver = false
    private var signal: Int32?
    private var hasReachedLength = false
    private var failure: (item: Int, failure: PlayerFailure)?
    private var hasPlayed = false
    /// Whether something was heard since it began anew.
    private var hasPlayedAgain = false
    /// Why nothing was heard in the wanted length.
    private var silence: PlayerFailure?
    /// Why the first recording of those that were wanted could not be made.
    private var recordingFailure: String?
    /// The items whose trouble was told.
    private var troubledItems: Set<Int> = []

    /// A session that has not begun.
    ///
    /// - Parameters:
    ///   - isStation: of each item, whether it is a station.
    ///   - recordsAll: whether every station is recorded when it starts.
    ///   - repeats: whether all is played again at its end, as long as something of it can be heard.
    init(isStation: [Bool], recordsAll: Bool, repeats: Bool = false) {
        self.isStation = isStation
        self.recordsAll = recordsAll
        self.repeats = repeats
    }

    mutating func told(_ event: PlayerEvent) -> [Effect] {
        switch event {
        case .itemFailed(let item, let failure):
            let former = self.failure.map { ExitStatus(for: $0.failure) } ?? .done
            if former < ExitStatus(for: failure) { self.failure = (item, failure) }
            return []
        case .itemStarted(let index, _): return self.started(index)
        case .stateChanged(.playing, _, _):
            (self.hasPlayed, self.hasPlayedAgain) = (true, true)
            return []
        case .stateChanged(.stopped, .endOfStream, _)
        where self.repeats && self.hasPlayedAgain && self.signal == nil:
            self.hasPlayedAgain = false
            return [.playAgain]
        case .stateChanged(.stopped, let reason, _) where reason != .temporary:
            self.isOver = true
            return []
        default: return []
        }
    }

    /// Another item plays: the recording of an earlier one ends.
    private mutating func started(_ index: Int) -> [Effect] {
        guard self.recordedItem != index else { return [] }
        var effects = self.endRecording()
        // A place that is gone to in an item begins it, too.
        guard self.unwantedItem != index else { return effects }
        self.unwantedItem = nil
        if self.recordsAll { effects += self.beginRecording(index) }
        return effects
    }

    /// A key was pressed.
    ///
    /// - Returns: a note that says why, for a key that does nothing.
    mutating func pressed(_ key: TerminalKey, _ snapshot: PlayerSnapshot) -> [Effect] {
        if let reason = IdleKey.reason(key, snapshot) { return [.note(reason)] }
        return switch key {
        case .character(" "): [snapshot.state == .paused ? .resume : .pause]
        case .left: [.seek(by: .seconds(-10))]
        case .right: [.seek(by: .seconds(10))]
        case .up, .character("0"): Self.louder(by: 5, snapshot)
        case .down, .character("9"): Self.louder(by: -5, snapshot)
        case .character("n"): [.next]
        case .character("p"): [.previous]
        case .character("l"): [.goLive]
        case .character("r"): self.toggleRecording(snapshot.itemIndex ?? 0)
        case .character("m"): [.setMuted(!snapshot.isMuted)]
        case .character("?"), .character("h"): [.toggleHelp]
        case .character("q"): [.stop]
        default: []
        }
    }

    private static func louder(by hundredths: Double, _ snapshot: PlayerSnapshot) -> [Effect] {
        let now = (snapshot.volume * 100).rounded()
        return [.setVolume(min(100, max(0, now + hundredths)) / 100), .setMuted(false)]
    }

    private mutating func toggleRecording(_ item: Int) -> [Effect] {
        if let recorded = self.recordedItem {
            self.unwantedItem = recorded
            return self.endRecording()
        }
        self.unwantedItem = nil
        let begun = self.beginRecording(item)
        guard begun.isEmpty else { return begun }
        return [.note("Only radio stations are recorded; weir get downloads a file.")]
    }

    /// A signal asks the program to end; the second one does not wait for the player.
    mutating func asked(toEndBy signal: Int32) -> [Effect] {
        guard self.signal == nil else { return [.exit] }
        self.signal = signal
        return [.stop]
    }

    mutating func reachedLength() -> [Effect] {
        self.hasReachedLength = true
        return [.stop]
    }

    /// Why it stops, where the player was told to by the session and not by a key: `length` or `signal`.
    var stopReason: String? {
        if self.signal != nil { return "signal" }
        return self.hasReachedLength ? "length" : nil
    }

    /// As much time as was wanted of sound has passed: a station that was not heard in it is not waited for.
    ///
    /// - Parameters:
    ///   - name: what the station is called.
    ///   - loss: why it does not come, if that is known.
    ///   - hasAnswered: whether the station has answered.
    /// - Returns: nothing, where it was heard.
    mutating func lengthPassed(
        of name: String,
        after loss: StationLoss?,
        hasAnswered: Bool
    ) -> [Effect] {
        guard !self.hasPlayed, self.silence == nil else { return [] }
        let what = hasAnswered ? "has answered, but sent no sound" : "has not answered"
        let loss =
            loss?.atLast ?? StationLoss(.silent, "\(name) \(what) so far; try again later.")
        self.silence = PlayerFailure(.source, loss.message, cause: loss)
        return [.stop]
    }

    /// The station's time shift of an item cannot be kept on the disk; told once for each item.
    mutating func found(trouble: String?, ofItem item: Int?) -> [Effect] {
        guard let item, let trouble, self.troubledItems.insert(item).inserted else { return [] }
        return [.note(trouble)]
    }

    /// The recording of an item could not be begun; another may have been decided since.
    mutating func recordingFailed(ofItem item: Int, _ message: String) -> [Effect] {
        if self.recordedItem == item { self.recordedItem = nil }
        self.recordingBroke(message)
        return [.note(message)]
    }

    /// A recording ended before its time.
    ///
    /// What only a key began is no more than told.
    mutating func recordingBroke(_ message: String) {
        if self.recordsAll { self.recordingFailure = self.recordingFailure ?? message }
    }

    private mutating func beginRecording(_ index: Int) -> [Effect] {
        guard self.isStation.indices.contains(index), self.isStation[index] else { return [] }
        self.recordedItem = index
        return [.beginRecording(item: index)]
    }

    private mutating func endRecording() -> [Effect] {
        guard self.recordedItem != nil else { return [] }
        self.recordedItem = nil
        return [.endRecording]
    }

    /// How the session ended, by the player's last snapshot.
    func ending(_ snapshot: PlayerSnapshot) -> Ending {
        if let signal { return .signal(signal) }
        if !self.hasPlayed, let silence { return .incomplete(silence, item: nil) }
        let isOver = snapshot.stopReason == .endOfStream || self.hasReachedLength
        let isIncomplete = isOver && self.failure != nil
        // No failure of an item has a better status.
        if let recordingFailure, snapshot.stopReason != .error, !isIncomplete {
            return .unrecorded(recordingFailure)
        }
        if snapshot.stopReason == .user, !self.hasReachedLength { return .quit }
        guard isIncomplete, let failure else {
            let isAtEnd = snapshot.stopReason == .endOfStream
            return isAtEnd && !self.hasPlayed ? .unheard : .over(snapshot)
        }
        return .incomplete(failure.failure, item: failure.item)
    }
}
