// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirPlayback

/// Decides the actions of a `weir play` session.
///
/// The machine turns keys, signals, timer ticks and the player's events into effects, and decides
/// how the session ends. It is pure: an event comes with the player's snapshot if the decision
/// needs it, and the machine returns effects in order.
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
        /// Play all items again.
        case playAgain
        /// Record the station of an item, into files that are split at titles.
        case beginRecording(item: Int)
        /// End the recording, and complete its last file.
        case endRecording
        case toggleHelp
        /// Show the user a line.
        case note(String)
        /// End the program without waiting for the player.
        case exit
    }

    enum Ending: Sendable {
        /// At the end of the queue, or at the wanted length.
        case over(PlayerSnapshot)
        /// At the end of the queue, without sound and without a failure.
        case unheard
        /// By a key; the program does not report earlier failures again.
        case quit
        /// At the end or at the wanted length, but an item failed.
        ///
        /// The values are the first of the worst failures, and its item.
        case incomplete(PlayerFailure, item: Int?)
        /// At the end or by a key, but a wanted recording failed or broke off, with the reason.
        case unrecorded(String)
        /// By a signal.
        case signal(Int32)
    }

    /// Which items are stations.
    private let isStation: [Bool]
    /// Whether the session records every station, without waiting for a key press.
    private let recordsAll: Bool
    /// Whether playback starts again at the end of the queue.
    private let repeats: Bool
    /// The item that is being recorded.
    private(set) var recordedItem: Int?
    /// The item whose recording the user has ended; the recording does not start again while that
    /// item plays.
    private var unwantedItem: Int?
    /// Whether the player has reported that it stopped; no event follows.
    private(set) var isOver = false
    private var signal: Int32?
    private var hasReachedLength = false
    private var failure: (item: Int, failure: PlayerFailure)?
    private var hasPlayed = false
    /// Whether there was sound since the last start of the queue.
    private var hasPlayedAgain = false
    /// Why there was no sound in the wanted length.
    private var silence: PlayerFailure?
    /// The first reason why a wanted recording failed.
    private var recordingFailure: String?
    /// The items whose trouble the user has seen.
    private var troubledItems: Set<Int> = []

    /// A session that has not begun.
    ///
    /// - Parameters:
    ///   - isStation: for each item, whether it is a station.
    ///   - recordsAll: whether to record every station when it starts.
    ///   - repeats: whether to play all items again at the end, as long as there is any sound.
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

    /// Handles the start of an item: ends the recording of another item, and may begin a new one.
    private mutating func started(_ index: Int) -> [Effect] {
        guard self.recordedItem != index else { return [] }
        var effects = self.endRecording()
        // A seek in an item also reports a start of this item.
        guard self.unwantedItem != index else { return effects }
        self.unwantedItem = nil
        if self.recordsAll { effects += self.beginRecording(index) }
        return effects
    }

    /// Handles a key.
    ///
    /// - Returns: for a key without effect, a note with the reason.
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

    /// Handles a signal to end the program; a second signal does not wait for the player.
    mutating func asked(toEndBy signal: Int32) -> [Effect] {
        guard self.signal == nil else { return [.exit] }
        self.signal = signal
        return [.stop]
    }

    mutating func reachedLength() -> [Effect] {
        self.hasReachedLength = true
        return [.stop]
    }

    /// Why the session stopped the player without a key: `length` or `signal`.
    var stopReason: String? {
        if self.signal != nil { return "signal" }
        return self.hasReachedLength ? "length" : nil
    }

    /// Handles the end of the wanted length: stops the session if a station has played no sound so
    /// far.
    ///
    /// - Parameters:
    ///   - name: the name of the station.
    ///   - loss: why the station sends no sound, if that is known.
    ///   - hasAnswered: whether the station has answered.
    /// - Returns: no effect if there was sound.
    mutating func lengthPassed(
        of name: String,
        after loss: StationError?,
        hasAnswered: Bool
    ) -> [Effect] {
        guard !self.hasPlayed, self.silence == nil else { return [] }
        let what = hasAnswered ? "has answered, but sent no sound" : "has not answered"
        let loss =
            loss?.atLast ?? StationError(.silent, "\(name) \(what) so far; try again later.")
        self.silence = PlayerFailure(.source, loss.message, cause: loss)
        return [.stop]
    }

    /// Reports that the disk cannot keep an item's time shift, once for each item.
    mutating func found(trouble: String?, ofItem item: Int?) -> [Effect] {
        guard let item, let trouble, self.troubledItems.insert(item).inserted else { return [] }
        return [.note(trouble)]
    }

    /// Handles the failure to start an item's recording; the machine may have started another
    /// recording since.
    mutating func recordingFailed(ofItem item: Int, _ message: String) -> [Effect] {
        if self.recordedItem == item { self.recordedItem = nil }
        self.recordingBroke(message)
        return [.note(message)]
    }

    /// Handles a recording that ended too early.
    ///
    /// A recording that only a key started does not change the exit status.
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

    /// How the session ended, given the player's last snapshot.
    func ending(_ snapshot: PlayerSnapshot) -> Ending {
        if let signal { return .signal(signal) }
        if !self.hasPlayed, let silence { return .incomplete(silence, item: nil) }
        let isOver = snapshot.stopReason == .endOfStream || self.hasReachedLength
        let isIncomplete = isOver && self.failure != nil
        // A failure of an item has an equal or worse status, so it has priority.
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
