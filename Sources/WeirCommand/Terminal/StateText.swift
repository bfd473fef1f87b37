// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirPlayback
import WeirSource

/// The state of a player: a word and its reason.
struct StateText: Hashable, Sendable {
    /// A sign for the kind of state.
    let symbol: String
    let word: String
    /// The reason, or the progress; `nil` if the word is enough.
    let reason: String?
    /// The colour: playing, waiting, or failed.
    let look: StyledLine.Look
    /// Whether playback has not started yet.
    let isBeginning: Bool

    /// Describes a snapshot.
    ///
    /// `wait` is the time until the next attempt to connect to a station, if the caller knows it
    /// better than the station's status.
    init(_ snapshot: PlayerSnapshot, wait: Duration? = nil) {
        let connection = Self.connection(snapshot.station, wait: wait)
        // The trouble of a device or of a file's source, which the player waits for.
        let trouble = snapshot.failure.map { Self.sentence($0.ownerMessage) }
        self.isBeginning =
            snapshot.position == .zero
            && [.initialized, .starting, .waitingForData, .waitingForQueueToStart]
                .contains(snapshot.state)
        switch snapshot.state {
        case .initialized, .starting:
            (self.symbol, self.word, self.look) = ("…", "starting", .waiting)
            self.reason = trouble ?? connection
        case .waitingForData:
            (self.symbol, self.word, self.look) = ("…", "waiting for data", .waiting)
            self.reason = trouble ?? connection
        case .waitingForQueueToStart where snapshot.failure != nil:
            (self.symbol, self.word, self.look) = ("…", "waiting", .waiting)
            self.reason = trouble
        case .waitingForQueueToStart, .buffering:
            (self.symbol, self.word, self.look) = ("…", "buffering", .waiting)
            let target = snapshot.bufferTarget
            // A full buffer changes the state at once, so it needs no text.
            let progress =
                snapshot.buffered < target
                ? "\(snapshot.buffered.components.seconds) s of \(target.secondsText)" : nil
            let reasons = [progress, trouble ?? connection].compactMap { $0 }
            self.reason = reasons.isEmpty ? nil : reasons.joined(separator: " · ")
        case .playing:
            (self.symbol, self.word, self.look) = ("▶", "playing", .good)
            self.reason = connection
        case .paused:
            (self.symbol, self.word, self.look) = ("‖", "paused", .waiting)
            self.reason = connection
        case .stopping:
            (self.symbol, self.word, self.look) = ("■", "stopping", .plain)
            self.reason = nil
        case .stopped where snapshot.stopReason == .error:
            (self.symbol, self.word, self.look) = ("!", "stopped", .bad)
            self.reason = snapshot.failure?.ownerMessage ?? connection
        case .stopped:
            let isAtEnd = snapshot.stopReason == .endOfStream
            (self.symbol, self.word, self.look) = ("■", isAtEnd ? "ended" : "stopped", .plain)
            self.reason = nil
        }
    }

    var line: String { self.reason.map { "\(self.word) · \($0)" } ?? self.word }

    /// The state of a station's connection; `nil` if the station is idle or live.
    static func connection(_ station: StationStatus?, wait: Duration? = nil) -> String? {
        guard let station else { return nil }
        let reason = station.reason.map { ": \(Self.sentence($0.ownerMessage))" } ?? ""
        switch station.phase {
        case .idle, .live: return nil
        case .connecting:
            return station.reconnects > 0 || station.reason != nil
                ? "reconnecting\(reason)" : "connecting"
        case .waiting(let delay):
            let left = max(.zero, min(wait ?? delay, delay))
            // Under half a second, the text would say "in 0 s".
            guard left >= .milliseconds(500) else { return "reconnecting\(reason)" }
            return "reconnecting in \(left.secondsText)\(reason)"
        case .ended: return station.reason.map { Self.sentence($0.ownerMessage) }
        }
    }

    /// Prepares a sentence to follow other text: without its full stop, and with a first word such
    /// as `The` in lower case.
    private static func sentence(_ text: String) -> String {
        let line = (text.hasSuffix(".") ? String(text.dropLast()) : text).printableLine
        let first = line.prefix { $0 != " " }
        guard ["The", "A", "An", "It", "There", "No", "Nothing"].contains(first) else {
            return line
        }
        return first.lowercased() + line.dropFirst(first.count)
    }
}

extension PlayerSnapshot {
    /// Whether the station is live; `true` for a file.
    var isConnected: Bool { (self.station?.phase ?? .live) == .live }

    /// The position as a clock, with `~` before an inexact one.
    ///
    /// A station's position counts from its start. The distance from its live end is at the other
    /// end of the bar.
    var positionText: String {
        let isSure = self.positionPrecision == .exact || self.isLive
        return "\(isSure ? "" : "~")\(self.position.clockText)"
    }
}

/// Times for people.
extension Duration {
    /// Minutes and seconds, with hours if there are any: `1:02:03`; fractions of a second are
    /// dropped.
    var clockText: String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = max(0, self.components.seconds)
        return seconds >= 3600
            ? "\(seconds / 3600):\(two(seconds % 3600 / 60)):\(two(seconds % 60))"
            : "\(seconds / 60):\(two(seconds % 60))"
    }

    /// Seconds, rounded to the nearest: `3 s`.
    var secondsText: String {
        let (whole, rest) = self.components
        return "\(max(0, rest >= 500_000_000_000_000_000 ? whole.addingClamped(1) : whole)) s"
    }
}
