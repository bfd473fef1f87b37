// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WeirAudio

/// Measures how fast one thread parses a file in memory into packets.
struct SpeedTrial {
    private let file: TrialFile

    init(_ file: TrialFile) { self.file = file }

    /// Parses the file repeatedly for some time, at least once.
    func run(seconds: Double) -> TrialLine {
        var line = TrialLine(file: self.file.name)
        var rounds = 0
        var packets = 0
        let start = DispatchTime.now().uptimeNanoseconds
        var elapsed: Double = 0
        repeat {
            packets = 0
            var parser = self.file.parser()
            let error = self.file.parse(&parser) { _ in packets += 1 }
            if let error { line.failure = error.description }
            rounds += 1
            elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        } while elapsed < seconds
        let rate = Double(self.file.bytes.count) * Double(rounds) / elapsed / 1e6
        line.values = [
            ("bytes", "\(self.file.bytes.count)"), ("packets", "\(packets)"),
            ("rounds", "\(rounds)"),
            ("megabytesPerSecond", "\(Int(rate))"),
            (
                "nanosecondsPerPacket",
                "\(packets == 0 ? 0 : Int(elapsed * 1e9 / Double(rounds * packets)))"
            ),
        ]
        return line
    }

    /// Parses the file once.
    func runOnce() -> TrialLine {
        var line = TrialLine(file: self.file.name)
        var packets = 0
        var parser = self.file.parser()
        line.failure = self.file.parse(&parser) { _ in packets += 1 }?.description
        line.values = [("packets", "\(packets)")]
        return line
    }
}
