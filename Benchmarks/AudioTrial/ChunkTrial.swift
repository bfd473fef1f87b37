// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirTestKit

/// Cuts a file into pieces in many ways, and compares the parsed packets.
struct ChunkTrial {
    private let file: TrialFile

    init(_ file: TrialFile) { self.file = file }

    /// Runs the trial.
    ///
    /// - Parameter splits: how many positions at the start of the file the trial cuts at, one cut
    ///   for each parse.
    /// - Returns: the line of the result.
    func run(splits: Int) -> TrialLine {
        var line = TrialLine(file: self.file.name)
        let whole = self.file.packets()
        func compare(_ what: String, size: () -> Int) {
            let cut = self.file.packets(size: size)
            let isSame = cut.marks == whole.marks && cut.error == whole.error
            if !isSame, line.failure == nil { line.failure = "\(what) makes a difference" }
        }
        compare("byte by byte") { 1 }
        let most = min(splits, self.file.bytes.count - 1)
        // A part of the file is enough to show the effect of a cut near its start. The parser still
        // gets the length of the whole file.
        let head = self.head(after: most)
        let expected = self.events(head, cutAt: nil)
        for split in stride(from: 1, through: most, by: 1)
        where self.events(head, cutAt: split) != expected {
            if line.failure == nil { line.failure = "a cut at \(split) makes a difference" }
        }
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let largest = 1 << Int.random(in: 1...14, using: &generator)
            compare("seed \(seed)") { Int.random(in: 1...largest, using: &generator) }
        }
        line.values = [("packets", "\(whole.marks.count)"), ("splits", "\(most)")]
        return line
    }

    private func head(after split: Int) -> ByteMemory {
        self.file.bytes[0..<min(self.file.bytes.count, split + (64 << 10))]
    }

    /// All events of the first bytes, with one cut in the stream, or none.
    private func events(_ head: ByteMemory, cutAt split: Int?) -> [AudioStreamEvent] {
        var parser = self.file.parser()
        var events: [AudioStreamEvent] = []
        let pieces = split.map { [head[0..<$0], head[$0..<head.count]] } ?? [head]
        for piece in pieces {
            parser.push(piece)
            do throws(AudioStreamError) {
                while let event = try parser.next() {
                    events.append(event)
                    // The trial does not supply bytes of another offset: it compares only the
                    // events up to that request.
                    if case .wanted = event { return events }
                }
            } catch {
                return events
            }
        }
        return events
    }
}
