// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAVFoundation
import WeirPlayerSimulation

/// The sequences of the reference with their original numbers, on a server with the default limits.
@Suite("A sequence of the reference")
struct ReferenceScriptTests {
    /// The expected result of a sequence.
    struct Expected: Sendable, CustomTestStringConvertible {
        let script: PlayerScript
        /// `offset+length`, with a star if the player wants all bytes to the end.
        let requests: [String]
        /// The bytes of each request; at least this many where the player cancels.
        let received: [Int64]

        var testDescription: String { self.script.name }
    }

    private static let all: [Expected] = [
        Expected(
            script: .s1,
            requests: ["?0+2", "0+150000*", "700+149300*", "1500+148500*", "5000+145000*"],
            received: [2, 700, 800, 500, 145_000]
        ),
        Expected(
            script: .s2,
            requests: ["?0+2", "0+20000", "20000+20000", "40000+20000", "60000+90000*"],
            received: [2, 20_000, 20_000, 20_000, 90_000]
        ),
        Expected(script: .s3, requests: ["?0+2", "0+1000000*"], received: [2, 1_000_000]),
        Expected(
            script: .s4,
            requests: ["?0+2", "0+2147483648*", "1048576+2146435072*"],
            received: [2, 3_000_000, 2_000_000]
        ),
        Expected(
            script: .s5,
            requests: ["?0+2", "0+400000*", "0+65536", "65536+65536", "131072+65536"],
            received: [2, 0, 65_536, 65_536, 65_536]
        ),
        Expected(script: .s6, requests: ["?0+2", "1321396+5445260*"], received: [2, 5_445_260]),
        Expected(script: .s7, requests: ["?0+2"], received: [2]),
        Expected(
            script: .s8,
            requests: ["?0+2", "0+2097152", "170636+1926516"],
            received: [2, 170_636, 0]
        ),
        Expected(
            script: .s9,
            requests: ["?0+2", "0+5331381*", "5331380+1*", "5331380+1*"],
            received: [2, 5_331_380, 0, 1]
        ),
        Expected(
            script: .s10,
            requests: ["?0+2", "0+300000*", "?0+2", "0+30000", "30000+30000", "60000+240000*"],
            received: [2, 40_000, 2, 30_000, 30_000, 240_000]
        ),
        Expected(
            script: .s11,
            requests: ["?0+2", "0+1000000*", "960000+40000*", "4096+995904*"],
            received: [2, 4_096, 40_000, 600_000]
        ),
    ]

    @Test("gets the answers of the contract", arguments: all)
    func plays(_ expected: Expected) {
        for seed in UInt64(0)..<5 {
            var simulation = ServerSimulation(
                Scenario(expected.script),
                seed: seed,
                isRecorded: true
            ) { LoadingRequestServer(limits: $0) }
            let report = simulation.run()
            #expect(report.violations.isEmpty, "\(report.failure)")
            #expect(report.requests.map(Self.line) == expected.requests)
            #expect(report.received.count == expected.received.count)
            let steps = expected.script.steps
            for (index, step) in steps.enumerated() where index < report.received.count {
                if step.ending == .awaited {
                    #expect(report.received[index] == expected.received[index], "request \(index)")
                } else {
                    #expect(report.received[index] >= expected.received[index], "request \(index)")
                }
            }
        }
    }

    @Test("exists for each of the eleven cases, and names its origin")
    func complete() {
        #expect(PlayerScript.reference.map(\.name) == (1...11).map { "S\($0)" })
        #expect(PlayerScript.reference.allSatisfy { !$0.origin.isEmpty })
    }

    @Test("keeps its shape for a resource of any length", arguments: PlayerScript.reference)
    func scales(_ script: PlayerScript) {
        for length: Int64 in [0, 1, 2, 3, 100, 4_097] {
            var simulation = ServerSimulation(Scenario(script.scaled(to: length)), seed: 1) {
                LoadingRequestServer(limits: $0)
            }
            let report = simulation.run()
            #expect(report.violations.isEmpty, "\(length): \(report.failure)")
            #expect(report.requests.count == script.steps.count)
        }
    }

    private static func line(_ request: LoadingRequestServer.Request) -> String {
        guard let bytes = request.bytes else { return "?" }
        return (request.wantsInformation ? "?" : "") + "\(bytes.offset)+\(bytes.length)"
            + (bytes.toTheEnd ? "*" : "")
    }
}
