// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirAVFoundation
import WeirPlayerSimulation

/// Runs the simulation with many seeds, on all processors.
///
///     player-trial [--seeds N] [--from S]   plays N seeds (100,000) from S (0) on
///
/// The program prints each failure with its transcript, then a line of JSON. The exit status is 1
/// if there was a failure.
@main
struct Program {
    static func main() async {
        var count: UInt64 = 100_000
        var first: UInt64 = 0
        var words = CommandLine.arguments.dropFirst()
        while let word = words.popFirst() {
            switch (word, words.popFirst().flatMap(UInt64.init)) {
            case ("--seeds", let number?): count = number
            case ("--from", let number?): first = number
            default:
                FileHandle.standardError.write(
                    Data("usage: player-trial [--seeds N] [--from S]\n".utf8)
                )
                exit(2)
            }
        }
        let start = ContinuousClock().now
        let total = await Tally.playing(first..<(first + count))
        let seconds = (ContinuousClock().now - start) / .seconds(1)
        print(
            "{\"seeds\": \(count), \"from\": \(first), \"failed\": \(total.failed),"
                + " \"steps\": \(total.steps), \"requests\": \(total.requests),"
                + " \"bytes\": \(total.bytes), \"arrivedAgain\": \(total.again),"
                + " \"seconds\": \(Int(seconds)), \"perSecond\": \(Int(Double(count) / seconds))}"
        )
        exit(total.failed == 0 ? 0 : 1)
    }
}
