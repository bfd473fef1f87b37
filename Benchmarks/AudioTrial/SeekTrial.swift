// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirTestKit

/// Seeks to random times: each search must need few reads, and find a point before the packet with
/// that time.
struct SeekTrial {
    private let file: TrialFile

    init(_ file: TrialFile) { self.file = file }

    /// Runs the trial.
    ///
    /// - Parameter count: the number of seeks.
    /// - Returns: the line of the result.
    func run(count: Int) -> TrialLine {
        var line = TrialLine(file: self.file.name)
        let whole = self.file.packets().marks
        var parser = self.file.parser()
        _ = self.file.parse(&parser, most: 2) { _ in }
        guard let map = parser.seekMap(), let last = whole.last, let first = whole.first else {
            line.failure = "there is no way to seek"
            return line
        }
        var generator = SeededGenerator(seed: UInt64(count))
        var most = 0
        var total = 0
        var largest = 0
        var farthest: Int64 = 0
        var precision = ""
        for _ in 0..<count {
            let time = Int64.random(
                in: first.start..<last.start + max(1, last.duration),
                using: &generator
            )
            var search = map.search(for: SampleCount(time))
            var looks = 0
            while case .read(let range) = search.step {
                looks += 1
                largest = max(largest, range.count)
                guard looks < 100 else { break }
                let upper = min(range.upperBound, Int64(self.file.bytes.count))
                search.read(
                    self.file.bytes[Int(range.lowerBound)..<Int(max(range.lowerBound, upper))]
                )
            }
            most = max(most, looks)
            total += looks
            guard case .found(let point) = search.step else {
                line.failure = line.failure ?? "a search for \(time) has no end"
                continue
            }
            precision = point.precision.rawValue
            let distance = self.distance(from: point, to: time, whole, &parser)
            guard let distance else {
                line.failure = line.failure ?? "nothing plays from the point for \(time)"
                continue
            }
            if point.precision == .exact, distance != 0 {
                line.failure = line.failure ?? "the point for \(time) is \(distance) samples off"
            }
            farthest = max(farthest, abs(distance))
        }
        if most > 20 || largest > 64 << 10 {
            line.failure = line.failure ?? "too many or too large looks"
        }
        line.values = [
            ("seeks", "\(count)"), ("precision", "\"\(precision)\""), ("mostRequests", "\(most)"),
            ("averageRequests", "\(Double(total * 10 / max(1, count)) / 10)"),
            ("largestRequest", "\(largest)"), ("mostSamplesOff", "\(farthest)"),
        ]
        return line
    }

    /// The distance between the requested time and the packets behind a point, in samples of the
    /// real timeline.
    ///
    /// - Returns: 0 if one of the first packets behind the point has the time; `nil` if there is no
    ///   packet.
    private func distance(
        from point: SeekPoint,
        to time: Int64,
        _ whole: [TrialFile.Mark],
        _ parser: inout AudioStreamParser
    ) -> Int64? {
        parser.jump(to: point.offset, start: point.start)
        var nearest: Int64?
        var count = 0
        // The last packet also has the time of its own end, since no packet follows.
        let target = self.index(of: time, in: whole)
        _ = self.file.parse(&parser, from: point.offset, most: 400) { packet in
            count += 1
            guard nearest != 0, let index = self.indexOfPacket(at: packet.offset, in: whole) else {
                return
            }
            let mark = whole[index]
            // An estimated point is judged by the real time of the first packet behind it.
            if index == target {
                nearest = 0
            } else if nearest == nil {
                nearest = mark.start - whole[target].start
            }
        }
        return nearest
    }

    private func index(of time: Int64, in whole: [TrialFile.Mark]) -> Int {
        var lower = 0
        var upper = whole.count
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if whole[middle].start <= time { lower = middle } else { upper = middle }
        }
        return lower
    }

    private func indexOfPacket(at offset: Int64, in whole: [TrialFile.Mark]) -> Int? {
        var lower = 0
        var upper = whole.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if whole[middle].offset < offset { lower = middle + 1 } else { upper = middle }
        }
        return lower < whole.count && whole[lower].offset == offset ? lower : nil
    }
}
