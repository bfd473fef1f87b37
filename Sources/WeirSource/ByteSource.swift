// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Anything that can be played: a resource whose bytes can be described and read by range.
///
/// The one protocol of Weir. An origin, a cache in front of it, a cipher and a front end's view of
/// all three are byte sources, each a decorator of the next. The promises below hold for every
/// one of them, and `ByteSourceContract` in WeirTestKit checks them.
///
/// **Ranges** are half-open and absolute, in the resource as this source's reader sees it.
///
/// | asked | answer |
/// |---|---|
/// | within the resource | exactly these bytes, in order |
/// | an upper bound past the end | the bytes up to the end |
/// | a start exactly at the end, an empty range, an empty resource | a reading without chunks |
/// | a start past the end | ``SourceError/Code/rangeNotSatisfiable`` |
/// | a suffix longer than the resource | the whole resource |
/// | any range while the length is unknown | bytes until the resource ends |
///
/// **Cost.** A ``read(_:)`` brings the description with it; a caller that reads need not call
/// ``describe()`` first. **Back-pressure.** Nothing is read ahead of the consumer but what the
/// source documents. **Cancellation.** A cancelled task gets `CancellationError` at once; a reading
/// that is dropped leaves at once and harms no other.
public protocol ByteSource: Sendable {
    /// Tells what the resource is, without its bytes.
    ///
    /// - Throws: ``SourceError`` with any code but `rangeNotSatisfiable` and `changed`;
    ///   `CancellationError`.
    func describe() async throws -> ResourceDescription

    /// Starts to read; returns as soon as the resource is described and the range is known to exist.
    ///
    /// - Throws: ``SourceError``; `changed` when the demand names a version and the resource has
    ///   another. `CancellationError`.
    func read(_ demand: ReadDemand) async throws -> ByteReading

    /// Asks whether the resource is still the given version, without its bytes.
    ///
    /// Made anew at each call, and not repeated when it fails: a caller that holds bytes has something to go on
    /// with.
    ///
    /// - Throws: ``SourceError`` when that cannot be known now; `CancellationError`.
    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool

    /// Looks, without waiting and without input or output, for bytes that lie on disk.
    ///
    /// The slice starts where the range starts and ends at the range's end or where the held bytes
    /// end, whichever comes first. `nil` means "use ``read(_:)``", never "there is nothing".
    /// Cheap enough for an event loop: a lock and no allocation beyond the result.
    func residentSlice(_ range: RequestedRange) -> ResidentSlice?

    /// Opens the bytes cached earlier, so that ``residentSlice(_:)`` can lend it; asks no origin.
    ///
    /// For a reader that wants the cached bytes and nothing else. Without it they are opened when they are first read.
    func openHeld() async

    /// How long ago the origin was last heard to have the cached bytes: by the answer that brought them, or when it was
    /// asked again.
    ///
    /// `nil` where that is not known, or where nothing is kept. Cheap enough for an event loop.
    var timeSinceConfirmation: Duration? { get }

    /// Which bytes are held close by, now.
    var availability: Availability { get }

    /// The availability now, and again whenever it has changed; a slow consumer sees the newest.
    func availabilityChanges() -> AsyncStream<Availability>
}

extension ByteSource {
    /// Starts to read these bytes of whatever the resource is now: `read(0..<10)`.
    ///
    /// Bytes past the end are left out; an empty range gives none.
    ///
    /// - Throws: as ``read(_:)-(ReadDemand)``, with `rangeNotSatisfiable` for a range that starts past the end.
    public func read(_ range: Range<Int64>) async throws -> ByteReading {
        try await self.read(.span(range))
    }

    /// Starts to read a range of whatever the resource is now.
    ///
    /// - Throws: as ``read(_:)-(ReadDemand)``.
    public func read(_ range: RequestedRange) async throws -> ByteReading {
        try await self.read(ReadDemand(range))
    }

    /// Compares the version with what ``describe()`` says.
    public func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        version.agrees(with: try await self.describe())
    }

    /// Nothing lies on disk.
    public func residentSlice(_ range: RequestedRange) -> ResidentSlice? { nil }

    /// Nothing is kept.
    public func openHeld() async {}

    /// Nothing is kept.
    public var timeSinceConfirmation: Duration? { nil }

    /// Nothing is held.
    public var availability: Availability { Availability(held: RangeSet(), length: nil) }

    /// One value, ``availability``, and the end.
    public func availabilityChanges() -> AsyncStream<Availability> {
        let now = self.availability
        return AsyncStream { continuation in
            continuation.yield(now)
            continuation.finish()
        }
    }
}
