// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Anything that can be played: a resource whose bytes can be described and read by range.
///
/// The one protocol of Weir. An origin, a cache in front of it, a cipher and a front end's view of
/// all three are byte sources; each wraps the next. The promises below hold for every byte source,
/// and `ByteSourceContract` in WeirTestKit checks them.
///
/// **Ranges** are half-open and absolute, in the resource as this source's reader sees it.
///
/// | request | result |
/// |---|---|
/// | within the resource | exactly these bytes, in order |
/// | an upper bound past the end | the bytes up to the end |
/// | a start exactly at the end, an empty range, an empty resource | a reading without chunks |
/// | a start past the end | ``SourceError/Code/rangeNotSatisfiable`` |
/// | a suffix longer than the resource | the whole resource |
/// | any range while the length is unknown | bytes until the resource ends |
///
/// **Cost.** A ``read(_:)`` also returns the description; a caller that reads need not call
/// ``describe()`` first. **Back-pressure.** A source reads ahead of the consumer only if its
/// documentation says so. **Cancellation.** A cancelled task gets `CancellationError` at once. A
/// deallocated reading ends at once and does not affect other readings.
public protocol ByteSource: Sendable {
    /// Describes the resource, without its bytes.
    ///
    /// - Throws: ``SourceError`` with any code but `rangeNotSatisfiable` and `changed`;
    ///   `CancellationError`.
    func describe() async throws -> ResourceDescription

    /// Starts to read; returns as soon as the resource is described and the range is known to
    /// exist.
    ///
    /// - Throws: ``SourceError``; `changed` when the demand names a version and the resource has
    ///   another version. `CancellationError`.
    func read(_ demand: ReadDemand) async throws -> ByteReading

    /// Asks whether the resource is still the given version, without its bytes.
    ///
    /// Each call sends a new request. The source does not repeat a failed request, because a caller
    /// that holds bytes can go on with them.
    ///
    /// - Throws: ``SourceError`` when the answer cannot be known now; `CancellationError`.
    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool

    /// Looks for bytes on disk, without waiting and without input or output.
    ///
    /// The slice starts where the range starts. It ends at the range's end or at the end of the
    /// held bytes, whichever comes first. `nil` means "use ``read(_:)``", never "there is nothing".
    /// Cheap enough for an event loop: a lock and no allocation beyond the result.
    func residentSlice(_ range: RequestedRange) -> ResidentSlice?

    /// Opens the bytes cached earlier, so that ``residentSlice(_:)`` can lend them; sends no
    /// request to the origin.
    ///
    /// For a reader that needs only the cached bytes. Without this call, the first read opens them.
    func openHeld() async

    /// The time since the origin last confirmed the cached bytes.
    ///
    /// The origin confirms them by the response that contained them, or by a later check. `nil` if
    /// the time is not known, or if no bytes are cached. Cheap enough for an event loop.
    var timeSinceConfirmation: Duration? { get }

    /// The ranges that are held locally, now.
    var availability: Availability { get }

    /// The availability now, and again after each change; a slow consumer gets the newest one.
    func availabilityChanges() -> AsyncStream<Availability>
}

extension ByteSource {
    /// Starts to read these bytes of the resource's current version: `read(0..<10)`.
    ///
    /// Bytes past the end are left out; an empty range yields no bytes.
    ///
    /// - Throws: as ``read(_:)-(ReadDemand)``, with `rangeNotSatisfiable` for a range that starts
    ///   past the end.
    public func read(_ range: Range<Int64>) async throws -> ByteReading {
        try await self.read(.span(range))
    }

    /// Starts to read a range of the resource's current version.
    ///
    /// - Throws: as ``read(_:)-(ReadDemand)``.
    public func read(_ range: RequestedRange) async throws -> ByteReading {
        try await self.read(ReadDemand(range))
    }

    /// Compares the version with the result of ``describe()``.
    public func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        version.agrees(with: try await self.describe())
    }

    /// Returns `nil`: no bytes are on disk.
    public func residentSlice(_ range: RequestedRange) -> ResidentSlice? { nil }

    /// Does nothing: no bytes are cached.
    public func openHeld() async {}

    /// `nil`: no bytes are cached.
    public var timeSinceConfirmation: Duration? { nil }

    /// No bytes are held.
    public var availability: Availability { Availability(held: RangeSet(), length: nil) }

    /// Yields ``availability`` once, and ends.
    public func availabilityChanges() -> AsyncStream<Availability> {
        let now = self.availability
        return AsyncStream { continuation in
            continuation.yield(now)
            continuation.finish()
        }
    }
}
