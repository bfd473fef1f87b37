// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirSource

/// A medium of a library: a resource that is kept as it is played, by any number of readers.
public final class Media: ByteSource {
    /// Where the medium comes from.
    ///
    /// Its texts show no query and no credential.
    public let url: OriginURL

    private let source: MediaPipeline

    init(url: OriginURL, source: MediaPipeline) {
        self.url = url
        self.source = source
    }

    /// What the medium is: length, media type, name.
    public func describe() async throws -> ResourceDescription {
        try await self.source.front.describe()
    }

    /// Asks the origin whether the medium is still the one that a pin names.
    public func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try await self.source.front.isUnchanged(pin)
    }

    /// Starts to read a range.
    public func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.source.front.read(demand)
    }

    /// What lies on disk, as far as it is held.
    public func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        self.source.front.residentSlice(range)
    }

    /// Which bytes are held.
    public func availability() -> Availability {
        self.source.front.availability()
    }

    /// Which bytes are held, now and after each change.
    public func availabilityChanges() -> AsyncStream<Availability> {
        self.source.front.availabilityChanges()
    }

    /// Ends its readers with `SourceError.Code.closed`, and its requests unless others play it, too; later reads
    /// fail likewise.
    public func close() async {
        await self.source.shared.close()
    }
}
