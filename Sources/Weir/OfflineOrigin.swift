// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Stands for an origin that must not be asked.
struct OfflineOrigin: ByteSource {
    /// The resource, as it may be named in a sentence.
    let display: String

    func describe() async throws -> ResourceDescription {
        throw self.error(nil)
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        throw self.error(demand.range)
    }

    private func error(_ range: RequestedRange?) -> SourceError {
        let what = range.map { "The bytes \($0) of \(self.display)" } ?? self.display
        return SourceError(
            .offline,
            "\(what) are not in the cache and the origin must not be asked; go on without --offline."
        )
    }
}
