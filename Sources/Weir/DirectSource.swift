// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSharing
import WeirSource

/// A source that ends its readings when it is closed.
protocol ClosableSource: ByteSource {
    /// Ends its readings with an error; later readings fail with the same error.
    func close(throwing error: SourceError) async
}

extension SharedSource: ClosableSource {}

/// A resource that the cache does not store.
final class DirectSource: ClosableSource {
    private let base: any ByteSource
    private let readings = ByteReading.Registry()

    init(_ base: any ByteSource) {
        self.base = base
    }

    func describe() async throws -> ResourceDescription {
        try self.readings.check()
        return try await self.base.describe()
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try self.readings.check()
        return try await self.base.isUnchanged(version)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        self.readings.isClosed ? nil : self.base.residentSlice(range)
    }

    func openHeld() async { await self.base.openHeld() }

    var availability: Availability { self.base.availability }

    func availabilityChanges() -> AsyncStream<Availability> { self.base.availabilityChanges() }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try self.readings.check()
        let reading = try await self.base.read(demand)
        self.readings.add(reading)
        return reading
    }

    func close(throwing error: SourceError) { self.readings.close(throwing: error) }
}

/// A source that fails with an error at each description and each read.
struct FailingSource: ByteSource {
    /// Makes the error; `range` is the range of a read, `nil` for a description.
    let error: @Sendable (_ range: RequestedRange?) -> SourceError

    func describe() async throws -> ResourceDescription { throw self.error(nil) }

    func read(_ demand: ReadDemand) async throws -> ByteReading { throw self.error(demand.range) }

    /// A source for a resource whose origin must not receive requests.
    ///
    /// - Parameter display: the resource's name in the error message.
    /// - Returns: a source that fails with `offline`.
    static func offline(_ display: String) -> FailingSource {
        FailingSource { range in
            let from = range?.knownLowerBound ?? 0
            let what = from > 0 ? "The part of \(display) from byte \(from) on" : display
            return SourceError(
                .offline,
                "\(what) is not in the cache, and Weir asks no origin while it is offline; play it again online."
            )
        }
    }
}
