// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirAVFoundation
import WeirPlayerSimulation

/// The totals of many runs.
struct Tally: Sendable {
    var failed = 0
    var steps = 0
    var requests = 0
    var bytes: Int64 = 0
    var again: Int64 = 0

    /// Plays the seeds, a share of them on each processor, and prints the failures.
    static func playing(_ seeds: Range<UInt64>) async -> Tally {
        let lanes = UInt64(max(1, ProcessInfo.processInfo.activeProcessorCount))
        return await withTaskGroup(of: Tally.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var tally = Tally()
                    for seed in seeds where seed % lanes == lane { tally.play(seed) }
                    return tally
                }
            }
            var total = Tally()
            for await tally in group { total.add(tally) }
            return total
        }
    }

    private mutating func play(_ seed: UInt64) {
        let report = ServerSimulation.run(seed: seed) { LoadingRequestServer(limits: $0) }
        self.steps += report.steps
        self.requests += report.requests.count
        self.bytes += report.received.reduce(0, +)
        self.again += report.arrivedAgain
        guard !report.violations.isEmpty else { return }
        self.failed += 1
        print(report.failure)
    }

    private mutating func add(_ other: Tally) {
        self.failed += other.failed
        self.steps += other.steps
        self.requests += other.requests
        self.bytes += other.bytes
        self.again += other.again
    }
}
