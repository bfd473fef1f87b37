// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// A source whose first bytes are resident; a test supplies its readings.
struct SplitSource: ByteSource {
    let resident: ResidentSource
    let residentEnd: Int64
    let looks = Watched(0)
    let reading: @Sendable (ReadDemand) async throws -> ByteReading

    func describe() async throws -> ResourceDescription { try await self.resident.describe() }

    func read(_ demand: ReadDemand) async throws -> ByteReading { try await self.reading(demand) }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        self.looks.update { $0 += 1 }
        guard let slice = self.resident.residentSlice(range),
            slice.range.lowerBound < self.residentEnd
        else { return nil }
        return slice.clamped(to: 0..<self.residentEnd)
    }
}
