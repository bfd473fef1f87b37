// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirPlayback

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reports playback in lines: JSON for scripts, or plain text for people.
final class PlainDisplay: PlayDisplay {
    private let plain: Mutex<PlainLines>
    /// The last line about a station; an equal line is not written again.
    private let lastOfStation = Mutex("")
    private let isJSON: Bool
    private let isQuiet: Bool
    /// Whether the sound goes to standard output.
    private let isOutputTaken: Bool

    /// A display with the options of the user.
    ///
    /// If the sound goes to standard output, JSON goes to standard error. Plain lines always go to
    /// standard error.
    init(_ output: OutputOptions, isOutputTaken: Bool) {
        self.plain = Mutex(PlainLines(isVerbose: output.verbose))
        self.isJSON = output.json
        self.isQuiet = output.quiet
        self.isOutputTaken = isOutputTaken
    }

    func begin(_ sink: String) {
        if self.isJSON { return self.write(["event": "sink", "sink": sink]) }
        if !self.isQuiet { Output.note("sound: \(sink.printableLine)") }
    }

    func tell(_ event: PlayerEvent, _ snapshot: PlayerSnapshot, stoppedBy stopper: String?) {
        if self.isJSON {
            var isOfStation = false
            if case .stationChanged = event { isOfStation = true }
            return self.write(JSON(event, snapshot, stoppedBy: stopper), isOfStation: isOfStation)
        }
        guard !self.isQuiet else { return }
        if let line = self.plain.withLock({ $0.line(event, snapshot) }) { Output.note(line) }
    }

    func tell(_ event: RecordingEvent) {
        if self.isJSON { return self.write(JSON(event)) }
        if !self.isQuiet { Output.note(PlainLines.text(event).printableLine) }
    }

    func note(_ line: String) {
        if self.isJSON { return self.write(JSON(note: line)) }
        Output.note(line)
    }

    private func write(_ line: JSON, isOfStation: Bool = false) {
        guard let text = try? Output.jsonLine(line) else { return }
        if isOfStation {
            let isNew = self.lastOfStation.withLock { last in
                defer { last = text }
                return last != text
            }
            guard isNew else { return }
        }
        if self.isOutputTaken { Output.note(text) } else { Output.print(text) }
    }
}

/// The events of a player as lines for a person without a terminal.
///
/// A pure machine: it remembers its last lines, and does not repeat them.
struct PlainLines {
    private var lastConnection: String?
    private var lastState: PlayerState?
    private var lastTitle: String?
    private let isVerbose: Bool

    init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// The line for an event; `nil` if the event needs no line.
    ///
    /// - Returns: one line, without characters that could move a cursor.
    mutating func line(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) -> String? {
        self.text(event, snapshot).map(\.printableLine)
    }

    private mutating func text(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) -> String? {
        switch event {
        case .stateChanged(let state, let reason, let failure):
            return self.state(state, reason, failure, snapshot)
        case .itemStarted(let index, let name):
            self.lastTitle = nil
            let count = snapshot.itemNames.count
            return count > 1 ? "item \(index + 1) of \(count): \(name)" : "item: \(name)"
        case .itemFailed(let index, let failure):
            // The failure of the last item is the error of the program.
            let isLast = index >= snapshot.itemNames.count - 1
            guard !isLast else { return nil }
            let name = snapshot.itemNames.indices.contains(index) ? snapshot.itemNames[index] : ""
            let what = failure.ownerMessage.hasPrefix(name) ? "" : ", \(name),"
            return "item \(index + 1)\(what) is skipped: \(failure.ownerMessage)"
        case .formatChanged(let format, let pcm, let position):
            var text = "format: \(format.codec.word), \(pcm.sampleRate) Hz, "
            text += pcm.channelCount == 1 ? "1 channel" : "\(pcm.channelCount) channels"
            if let rate = format.bitRate { text += ", \(rate.bitsPerSecond / 1000) kbit/s" }
            return "\(text) (\(position.clockText))"
        case .titleChanged(let title, let artist, _, let position, _):
            let heard = [title, artist].compactMap { $0 }.joined(separator: " – ")
            guard heard != self.lastTitle ?? "" else { return nil }
            self.lastTitle = heard
            return heard.isEmpty ? nil : "\(position.clockText) title: \(heard)"
        case .concealed(let error, let position):
            return "\(position.clockText) silence for a damaged piece: \(error.message)"
        case .trouble(let trouble):
            return self.isVerbose ? "trouble \(trouble.text)" : nil
        case .skipped(let time, let position):
            return "\(position.clockText) \(Self.skipped(time))"
        case .stationChanged(let status): return self.connection(status)
        case .missed(let count): return Self.missed(count)
        }
    }

    /// The line for sound of a station that the player skipped.
    static func skipped(_ time: Duration) -> String {
        "skipped \(Int((time / .seconds(1)).rounded())) s of the station's sound, to be nearer to its live end"
    }

    /// The line for lost events.
    static func missed(_ count: Int) -> String {
        "\(count) \(count == 1 ? "event was" : "events were") lost"
    }

    private mutating func state(
        _ state: PlayerState,
        _ reason: StopReason,
        _ failure: PlayerFailure?,
        _ snapshot: PlayerSnapshot
    ) -> String? {
        var now = snapshot
        (now.state, now.stopReason, now.failure) = (state, reason, failure)
        // The connection has its own lines.
        now.station = nil
        let isUnderrun = state == .buffering && reason == .none && self.lastState == .playing
        defer { self.lastState = state }
        // The program reports the failure once, at its end.
        guard reason != .error else { return nil }
        let text = StateText(now)
        let position = snapshot.positionText
        if isUnderrun { return "\(position) buffer empty: \(text.line)" }
        switch state {
        case .playing, .paused, .buffering: return "\(position) \(text.line)"
        case .stopped: return text.line
        case .initialized, .stopping: return nil
        case .starting, .waitingForData, .waitingForQueueToStart:
            // A missing device gets a line, even if the state is the same.
            return state == self.lastState && failure == nil ? nil : text.line
        }
    }

    private mutating func connection(_ status: StationStatus) -> String? {
        let text: String? =
            switch status.phase {
            case .idle: nil
            case .live: status.info?.headers.name.map { "connected: \($0)" } ?? "connected"
            default: StateText.connection(status)
            }
        guard let text, text != self.lastConnection else { return nil }
        self.lastConnection = text
        return text
    }

    /// The line for an event of a recording.
    static func text(_ event: RecordingEvent) -> String {
        switch event {
        case .began(let file, _): "recording into \(file.path(percentEncoded: false))"
        case .ended(let file, _, let count):
            "recorded \(file.path(percentEncoded: false)), \(ByteSize.format(count))"
        case .failed(let sentence): "the recording ended: \(sentence)"
        case .missed(let count): self.missed(count)
        }
    }
}
