// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirTestKit

/// Cuts a file in every way and compares what comes out.
struct ChunkTrial {
    private let file: TrialFile

    init(_ file: TrialFile) { self.file = file }

    /// Cuts and compares.
    ///
    /// - Parameter splits: in how many of the first bytes the stream is cut once.
    /// - Returns: what came of it.
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
        // A part of the file is enough to see what a cut near its start does; the parser is told the same length.
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

    /// All events of the first bytes, with the stream cut once.
    private func events(_ head: ByteMemory, cutAt split: Int?) -> [AudioStreamEvent] {
        var parser = self.file.parser()
        var events: [AudioStreamEvent] = []
        let pieces = split.map { [head[0..<$0], head[$0..<head.count]] } ?? [head]
        for piece in pieces {
            parser.push(piece)
            do throws(AudioStreamError) {
                while let event = try parser.next() {
                    events.append(event)
                    // What is wanted elsewhere is not given: the question is the same.
                    if case .wanted = event { return events }
                }
            } catch {
                return events
            }
        }
        return events
    }
}
