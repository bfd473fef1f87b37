// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirTestKit

/// Starts parses at random offsets: each must find the same packets as a parse of the whole file.
struct JoinTrial {
    private let file: TrialFile

    init(_ file: TrialFile) { self.file = file }

    /// Whether a parser can begin in the middle of the stream, without the bytes before.
    private var canStartAnywhere: Bool {
        switch self.file.container {
        case .mpegAudio?, .adts?, .flac?: true
        default: false
        }
    }

    /// Runs the trial.
    ///
    /// - Parameter count: the number of offsets.
    /// - Returns: the line of the result.
    func run(count: Int) -> TrialLine {
        var line = TrialLine(file: self.file.name)
        let whole = self.file.packets().marks
        let indices = Dictionary(whole.enumerated().map { ($1.offset, $0) }) { first, _ in first }
        var generator = SeededGenerator(seed: UInt64(count))
        var lost = 0
        var empty = 0
        for _ in 0..<count {
            let offset = Int64.random(in: 0..<Int64(self.file.bytes.count), using: &generator)
            let joined = self.joined(at: offset)
            guard let first = joined.first else {
                empty += 1
                continue
            }
            guard let index = indices[first.offset] else {
                line.failure =
                    line.failure
                    ?? "a join at \(offset) begins with a packet that the whole parse does not have, at \(first.offset)"
                continue
            }
            let expected = whole[index...].prefix(joined.count)
            let isSame = zip(joined, expected).allSatisfy {
                ($0.offset, $0.size, $0.hash) == ($1.offset, $1.size, $1.hash)
            }
            if !isSame || expected.count != joined.count {
                line.failure =
                    line.failure ?? "a join at \(offset) gives other packets than the whole parse"
            }
            // The first packet that the join could have found.
            let possible = whole.firstIndex { $0.offset >= offset } ?? whole.count
            lost = max(lost, index - possible)
        }
        // A join within the last page or fragment gives no packet.
        if empty * 3 > count * 2 { line.failure = line.failure ?? "most joins give nothing" }
        line.values = [
            ("joins", "\(count)"), ("mostPacketsLost", "\(lost)"), ("empty", "\(empty)"),
        ]
        return line
    }

    private func joined(at offset: Int64) -> [TrialFile.Mark] {
        var marks: [TrialFile.Mark] = []
        if self.canStartAnywhere, let container = self.file.container {
            var parser = AudioStreamParser(
                container: container,
                length: Int64(self.file.bytes.count),
                startingAt: offset
            )
            _ = self.file.parse(&parser, from: offset, most: 300) { marks.append(.init($0)) }
        } else {
            var parser = self.file.parser()
            _ = self.file.parse(&parser, most: 1) { _ in }
            parser.jump(to: offset)
            _ = self.file.parse(&parser, from: offset, most: 300) { marks.append(.init($0)) }
        }
        return marks
    }
}
