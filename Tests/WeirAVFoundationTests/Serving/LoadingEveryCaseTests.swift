// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayerSimulation

@testable import WeirAVFoundation

@Suite("Every request of every small resource")
struct LoadingEveryCaseTests {
    @Test("gets exactly its bytes, and ends once", arguments: 0...6)
    func everyCase(_ length: Int64) {
        var count = 0
        for offset in 0...(length + 2) {
            for extent in 0...(length + 2) {
                for variant in 0..<24 {
                    count += 1
                    self.play(length, offset, extent, variant)
                }
            }
        }
        #expect(count == Int((length + 3) * (length + 3)) * 24)
    }

    /// Plays one request.
    private func play(_ length: Int64, _ offset: Int64, _ extent: Int64, _ variant: Int) {
        let toTheEnd = variant & 1 == 1
        var step = PlayerScript.Step(
            .byte(offset),
            .bytes(extent),
            toTheEnd: toTheEnd,
            .awaited
        )
        step.wantsInformation = variant & 2 == 2
        let knows = variant & 4 == 4
        var limits = LoadingRequestServer.Limits()
        limits.largestPiece = 3
        limits.smallestPiece = 2
        limits.head = 1 + variant % 2
        limits.window = 6
        var scenario = Scenario(
            PlayerScript(name: "one", origin: "ours", length: length, steps: [step]),
            limits: limits
        )
        scenario.habits[0].largestChunk = 1 + variant / 8
        scenario.habits[0].announcesLengthFrom = knows ? 0 : .max
        scenario.media[0].announcesLength = knows
        var simulation = ServerSimulation(scenario, seed: UInt64(variant), isRecorded: true) {
            LoadingRequestServer(limits: $0)
        }
        let report = simulation.run()
        let end = toTheEnd ? length : min(length, offset + extent)
        let isRight = report.violations.isEmpty && report.received == [max(0, end - offset)]
        #expect(isRight, "\(offset)+\(extent) of \(length): \(report.received) \(report.failure)")
    }
}
