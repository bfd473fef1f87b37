// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A resource that is not kept, since it lies on this machine; it can be closed.
final class DirectSource: ByteSource {
    private let base: any ByteSource
    private let readings = ByteReading.Registry()

    init(_ base: any ByteSource) {
        self.base = base
    }

    func describe() async throws -> ResourceDescription {
        try self.readings.check()
        return try await self.base.describe()
    }

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try self.readings.check()
        return try await self.base.isUnchanged(pin)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        self.readings.isClosed ? nil : self.base.residentSlice(range)
    }

    func openHeld() async { await self.base.openHeld() }

    func availability() -> Availability { self.base.availability() }

    func availabilityChanges() -> AsyncStream<Availability> { self.base.availabilityChanges() }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try self.readings.check()
        let reading = try await self.base.read(demand)
        self.readings.add(reading)
        return reading
    }

    /// Ends its readings with `SourceError.Code.closed`; later ones fail likewise.
    func close() { self.readings.close(throwing: SharedSource.closedError) }
}
