// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirPlayback

/// Tells how playing goes in lines: JSON for scripts, or plain ones for people.
final class LineFront: PlayFront {
    private let plain: Mutex<PlainLines>
    /// The last line about a station, which may change in what is not shown.
    private let lastOfStation = Mutex("")
    private let isJSON: Bool
    private let isQuiet: Bool
    /// Whether the sound itself is on standard output.
    private let isOutputTaken: Bool

    /// Lines as a user wants them.
    ///
    /// - Parameters:
    ///   - output: how much, and in which form.
    ///   - isOutputTaken: whether the sound is on standard output; JSON goes to standard error then, as plain lines do
    ///     in any case.
    init(_ output: OutputOptions, isOutputTaken: Bool) {
        self.plain = Mutex(PlainLines(isVerbose: output.verbose))
        self.isJSON = output.json
        self.isQuiet = output.quiet
        self.isOutputTaken = isOutputTaken
    }

    func tell(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) {
        if self.isJSON { return self.write(PlayLine(event, snapshot)) }
        guard !self.isQuiet else { return }
        if let line = self.plain.withLock({ $0.line(event, snapshot) }) { Output.note(line) }
    }

    func tell(_ event: RecordingEvent) {
        if self.isJSON { return self.write(PlayLine(event)) }
        if !self.isQuiet { Output.note(PrintableText.line(PlainLines.text(event))) }
    }

    func note(_ line: String) {
        if self.isJSON { return self.write(PlayLine(note: line)) }
        Output.note(line)
    }

    private func write(_ line: PlayLine) {
        guard let text = try? Output.jsonLine(line) else { return }
        if line.event == "station" {
            let isNew = self.lastOfStation.withLock { last in
                defer { last = text }
                return last != text
            }
            guard isNew else { return }
        }
        if self.isOutputTaken { Output.note(text) } else { Output.print(text) }
    }
}
