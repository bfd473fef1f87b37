// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirSource

/// A station that is not there.
struct RefusingTransport: StationTransport {
    let display = "radio.example"

    func connect(to target: StationTarget) async throws -> StationAnswer {
        throw SourceError(.notFound, "radio.example has no such station.", status: 404)
    }
}
