// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAVFoundation
import WeirPlayerSimulation

/// The example of the module's landing page.
@Suite("The landing page")
struct LandingPageTests {
    @Test("its program finds nothing wrong with the server that ships")
    func program() {
        #expect(failures(ofSeeds: 0..<20).isEmpty)
    }
}

private func failures(ofSeeds seeds: Range<UInt64>) -> [String] {
    seeds.compactMap { seed in
        let report = ServerSimulation.run(seed: seed) { LoadingRequestServer(limits: $0) }
        return report.violations.isEmpty ? nil : report.failure
    }
}
