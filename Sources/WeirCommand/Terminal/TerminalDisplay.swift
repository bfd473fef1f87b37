// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirPlayback

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows the player in the last lines of a terminal, and redraws them in place.
final class TerminalDisplay: PlayDisplay {
    private struct State {
        var canvas = LineCanvas()
        var drawn: [StyledLine] = []
        var size = (columns: 0, rows: 0)
        var notice = ShownNotice()
        /// The item that the terminal shows.
        var item: Int?
        /// The last failed item, and the reason.
        var failed: (index: Int, message: String)?
        var recording: String?
        /// The result of the last recording.
        var recorded: String?
        var sink: String?
        var showsHelp = false
        var isHidden = false
        /// Whether the display is hidden because the program is in the background.
        ///
        /// No signal reports the return to the foreground, so ``draw(_:)`` checks.
        var isInBackground = false
        /// The status of a waiting station, and the time when the display first saw it.
        var waiting: (status: StationStatus, since: ContinuousClock.Instant)?
    }

    private let mode = TerminalMode()
    private let hasColours: Bool
    private let state = Mutex(State())

    /// Takes over the terminal; ``end(_:)`` restores it.
    ///
    /// In the background, the display waits for ``comeBack(_:)``.
    init(hasColours: Bool) {
        self.hasColours = hasColours
        if TerminalMode.isInForeground {
            self.mode.enter()
        } else {
            self.state.withLock { ($0.isHidden, $0.isInBackground) = (true, true) }
        }
    }

    var isInteractive: Bool { true }

    func begin(_ sink: String) { self.state.withLock { $0.sink = sink } }

    func tell(_ event: PlayerEvent, _ snapshot: PlayerSnapshot, stoppedBy stopper: String?) {
        switch event {
        case .itemFailed(let index, let failure):
            self.note(failure.ownerMessage)
            self.state.withLock { $0.failed = (index, failure.ownerMessage) }
        case .skipped(let time, _): self.note(PlainLines.skipped(time))
        case .itemStarted(let index, _) where index > 0:
            // Clear notices of the previous item, but show why the item before this one failed.
            let failed = self.state.withLock { state in
                state.notice.itemStarted(index)
                return state.failed
            }
            if let failed, failed.index == index - 1 { self.note(failed.message) }
        default: break
        }
        self.draw(snapshot)
    }

    func tell(_ event: RecordingEvent) {
        self.state.withLock { state in
            switch event {
            case .began(let file, _): state.recording = file.path(percentEncoded: false)
            case .ended, .failed:
                (state.recording, state.recorded) = (nil, PlainLines.text(event))
            case .missed: break
            }
        }
        self.note(PlainLines.text(event))
    }

    func note(_ line: String) {
        self.state.withLock { $0.notice.show(line, of: $0.item, at: .now) }
    }

    func toggleHelp() { self.state.withLock { $0.showsHelp.toggle() } }

    func draw(_ snapshot: PlayerSnapshot) {
        if self.state.withLock({ $0.isInBackground }), TerminalMode.isInForeground {
            return self.comeBack(snapshot)
        }
        self.state.withLock { state in
            guard !state.isHidden else { return }
            let now = ContinuousClock.now
            state.item = snapshot.itemIndex
            var view = PlayerView(snapshot)
            view.notice = state.notice.text(at: now)
            view.recording = state.recording
            view.sink = state.sink
            view.showsHelp = state.showsHelp
            view.stationWait = Self.wait(snapshot.station, &state, now)
            let size = TerminalMode.size
            let lines = Screen(columns: size.columns, rows: size.rows).lines(view)
            guard lines != state.drawn || size != state.size else { return }
            (state.drawn, state.size) = (lines, size)
            Output.draw(self.text(of: lines, &state, size.columns))
        }
    }

    func stepAside() {
        self.state.withLock { state in
            guard !state.isHidden else { return }
            state.isHidden = true
            Output.draw(state.canvas.leave())
        }
        self.mode.leave()
    }

    func comeBack(_ snapshot: PlayerSnapshot) {
        guard TerminalMode.isInForeground else {
            self.state.withLock { ($0.isHidden, $0.isInBackground) = (true, true) }
            return self.mode.forget()
        }
        self.mode.enter()
        self.state.withLock { state in
            (state.isHidden, state.isInBackground) = (false, false)
            state.drawn = []
        }
        self.draw(snapshot)
    }

    /// Restores the terminal; leaves two lines with the last state, and one with the result of the
    /// last recording.
    func end(_ snapshot: PlayerSnapshot) {
        self.state.withLock { state in
            guard !state.isHidden else { return }
            state.isHidden = true
            let columns = TerminalMode.columns
            let lines = Array(Screen(columns: columns).lines(PlayerView(snapshot)).prefix(2))
            Output.draw(self.text(of: lines, &state, columns) + state.canvas.leave())
        }
        self.mode.leave()
        if let recorded = self.state.withLock({ $0.recorded }) {
            Output.note(recorded.printableLine)
        }
    }

    private func text(of lines: [StyledLine], _ state: inout State, _ columns: Int) -> String {
        state.canvas.draw(
            lines.map { self.hasColours ? $0.coloured : $0.plain },
            widths: lines.map(\.width),
            columns: columns
        )
    }

    /// The time until the next attempt to connect; the station reports it only once.
    private static func wait(
        _ station: StationStatus?,
        _ state: inout State,
        _ now: ContinuousClock.Instant
    ) -> Duration? {
        guard let station, case .waiting(let delay) = station.phase else {
            state.waiting = nil
            return nil
        }
        if state.waiting?.status != station { state.waiting = (station, now) }
        return max(.zero, delay - (now - (state.waiting?.since ?? now)))
    }
}
