// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirTestKit

/// Puts random bytes between packets: the parser must not report any of these bytes as a packet.
struct GarbageTrial {
    private let file: TrialFile

    init(_ file: TrialFile) { self.file = file }

    /// Runs the trial.
    ///
    /// - Parameter count: how many parses the trial makes, each with other garbage.
    /// - Returns: the line of the result.
    func run(count: Int) -> TrialLine {
        var line = TrialLine(file: self.file.name)
        let whole = self.file.packets().marks
        guard let container = self.file.container, whole.count > 10 else {
            line.failure = "too few packets to put anything between"
            return line
        }
        let known = Set(whole.map { "\($0.size) \($0.hash)" })
        var generator = SeededGenerator(seed: UInt64(count))
        var falsePackets = 0
        var expected = 0
        var seen = 0
        for _ in 0..<count {
            let part = self.part(container, whole, &generator)
            let bytes =
                self.file.bytes[part.before].array + self.garbage(&generator)
                + self.file.bytes[part.behind].array
            let trial = TrialFile(
                name: self.file.name,
                bytes: ByteMemory(bytes),
                container: container
            )
            var parser = AudioStreamParser(container: container, length: Int64(bytes.count))
            expected += part.packetCount
            _ = trial.parse(&parser) { packet in
                let mark = TrialFile.Mark(packet)
                if known.contains("\(mark.size) \(mark.hash)") {
                    seen += 1
                } else {
                    falsePackets += 1
                }
            }
        }
        line.values = [
            ("runs", "\(count)"), ("falsePackets", "\(falsePackets)"), ("packets", "\(expected)"),
            ("packetsLost", "\(expected - seen)"),
        ]
        if falsePackets > 0 { line.failure = "\(falsePackets) packets are none" }
        // A parser that reports nothing would also report no false packets, so it must find some.
        if seen < expected / 4 { line.failure = "more is lost than found" }
        return line
    }

    /// The byte ranges before and behind the garbage, and the number of their packets.
    ///
    /// They are some packets of a stream that a parser can join anywhere, or the whole of a stream
    /// that needs its headers.
    private func part(
        _ container: AudioContainer,
        _ whole: [TrialFile.Mark],
        _ generator: inout SeededGenerator
    ) -> (before: Range<Int>, behind: Range<Int>, packetCount: Int) {
        if container == .ogg || container == .flac {
            let cut = Int(whole[Int.random(in: 1..<whole.count - 1, using: &generator)].offset)
            return (0..<cut, cut..<self.file.bytes.count, whole.count)
        }
        let first = Int.random(in: 0..<whole.count - 8, using: &generator)
        let last = min(whole.count - 1, first + Int.random(in: 5...60, using: &generator))
        let cut = Int(whole[Int.random(in: first + 1..<last, using: &generator)].offset)
        return (Int(whole[first].offset)..<cut, cut..<Int(whole[last].offset), last - first)
    }

    /// Random bytes; in half of the runs they contain first bytes of headers more often than by
    /// chance.
    private func garbage(_ generator: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 1...3000, using: &generator)
        let isNasty = Bool.random(using: &generator)
        return (0..<count).map { _ in
            let byte = UInt8.random(in: 0...255, using: &generator)
            guard isNasty, byte < 24 else { return byte }
            return [0xFF, 0xFB, 0xF1, 0xF8, 0x4F, 0x67][Int(byte) % 6]
        }
    }
}
