// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// A source that decrypts the bytes of another source, so that its readers get plain bytes.
///
/// It is above the cache, which therefore holds the origin's bytes; each reader decrypts the cached
/// bytes again. A read of a plain range reads the stored range around it, with at most one more
/// block (for age: one chunk) at each end. Before the first byte, once for each generation of the
/// resource, the source also reads the data that the format needs. For age these are the header and
/// the last chunk. With padding, which hides the length, these are the last two blocks. A vector or
/// a salt at the start is read too.
///
/// In an authenticated format, readers get no byte before its chunk is checked. In the other
/// formats a wrong key gives wrong bytes, unless the padding reveals it.
///
/// **Errors** are `SourceError`s: the errors of the base; `wrongKey`; `damaged` for changed bytes,
/// cut files, and impossible lengths; `invalidRequest` if key and settings do not fit. Errors of a
/// key provider are passed on unchanged.
package final class CipherSource: ByteSource {
    private let base: any ByteSource
    private let opening: ResourceOpening
    private let opened = LastOpened()
    /// An opening for which no reader waits any more is cancelled.
    private let shared = Shared<OpenedResource>(isAbandonable: true)

    /// Creates a source over another one.
    ///
    /// - Parameters:
    ///   - base: the source of the stored bytes.
    ///   - decryption: the format and the key.
    ///   - request: the request for a key; its `resource` is the name in messages.
    package init(_ base: any ByteSource, decryption: Decryption, for request: KeyRequest) {
        self.base = base
        self.opening = ResourceOpening(
            base: base,
            scheme: decryption.scheme,
            keyRequest: request
        )
    }

    /// Describes the plain resource.
    ///
    /// - Throws: the errors of ``read(_:)``.
    package func describe() async throws -> ResourceDescription {
        try await self.untilUnchanged(version: nil) {
            try await self.open(try await self.base.describe()).plain
        }
    }

    /// Whether the resource is unchanged; asks the base if this generation has been opened.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        guard let opened = self.opened.last, version.agrees(with: opened.plain) else {
            return version.agrees(with: try await self.describe())
        }
        return try await self.base.isUnchanged(opened.stored.version)
    }

    /// Starts to read a plain range.
    ///
    /// - Throws: the errors of the base, and errors about the file or the key.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.untilUnchanged(version: demand.version) { try await self.readOnce(demand) }
    }

    /// A slice of plain bytes on disk, in whole blocks or chunks, decrypted when they are read.
    package func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard let opened = self.opened.last, let length = opened.layout.plainLength,
            let plain = range.resolved(inLength: length), !plain.isEmpty
        else { return nil }
        let layout = opened.layout
        guard let slice = self.base.residentSlice(.span(layout.stored(for: plain))),
            opened.isOf(slice.resource)
        else { return nil }
        let held = layout.plain(in: slice.range).clamped(to: plain)
        guard held.lowerBound == plain.lowerBound, !held.isEmpty else { return nil }
        return ResidentSlice(
            file: DecryptedFile(slice, opened),
            fileOffset: held.lowerBound,
            range: held,
            resource: opened.plain
        )
    }

    /// Opens the base; this source lends slices only after its first read or description.
    package func openHeld() async { await self.base.openHeld() }

    /// The time since the base last heard from its origin.
    package var timeSinceConfirmation: Duration? { self.base.timeSinceConfirmation }

    /// The plain bytes that the base holds; empty until the resource has been opened.
    package var availability: Availability {
        Self.plain(self.base.availability, self.opened.last)
    }

    /// The availability now, and again after every change.
    package func availabilityChanges() -> AsyncStream<Availability> {
        let (base, opened) = (self.base, self.opened)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = opened.listen { last in
                continuation.yield(Self.plain(base.availability, last))
            }
            // The stream owns the task and cancels it when its listener ends; the task ends with
            // the base's stream.
            let task = Task {
                for await stored in base.availabilityChanges() {
                    continuation.yield(Self.plain(stored, opened.last))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in
                task.cancel()
                opened.leave(number)
            }
        }
    }

    private static func plain(_ stored: Availability, _ opened: OpenedResource?) -> Availability {
        guard let opened else { return Availability(held: RangeSet(), length: nil) }
        let runs = stored.held.ranges.map { opened.layout.plain(in: $0) }
        return Availability(
            held: RangeSet(runs.filter { !$0.isEmpty }),
            length: opened.plain.length
        )
    }

    // MARK: Reading

    /// Repeats work that fails with `changed`, twice at most, unless the reader wants a certain
    /// generation.
    private func untilUnchanged<Value>(
        version: ReadDemand.Version?,
        _ work: () async throws -> Value
    ) async throws -> Value {
        var attempts = 0
        while true {
            do {
                return try await work()
            } catch let error as SourceError
                where error.code == .changed && version == nil && attempts < 2
            {
                attempts += 1
                self.opened.last = nil
            }
        }
    }

    private func readOnce(_ demand: ReadDemand) async throws -> ByteReading {
        if self.opened.last == nil, self.opening.needsNoBytes, !demand.range.isEmpty {
            return try await self.readFirst(demand)
        }
        let opened = try await self.known(demand.version)
        try opened.check(demand.version)
        let range = try Self.range(demand.range, of: opened)
        if range.isEmpty { return .empty(opened.plain, at: range.lowerBound) }
        return try await self.reading(opened, range)
    }

    /// The requested plain range; to `Int64.max` if the end is unknown.
    private static func range(
        _ asked: RequestedRange,
        of opened: OpenedResource
    ) throws(SourceError) -> Range<Int64> {
        if let length = opened.plain.length {
            guard let range = asked.resolved(inLength: length) else {
                throw SourceError.pastTheEnd(asked, length: length)
            }
            return range
        }
        let lower = asked.knownLowerBound ?? 0
        guard (0...StoredLayout.farthest).contains(lower) else { throw Self.pastTheEnd(asked) }
        return lower..<max(lower, asked.knownUpperBound ?? .max)
    }

    /// Reads the stored bytes of a plain range from the base.
    private func reading(
        _ opened: OpenedResource,
        _ plain: Range<Int64>
    ) async throws -> ByteReading {
        let stored = opened.layout.read(for: plain)
        let reading: ByteReading
        do {
            reading = try await self.base.read(
                ReadDemand(Self.request(stored, opened.layout), version: opened.stored.version)
            )
        } catch let error as SourceError
            where error.code == .rangeNotSatisfiable && opened.plain.length == nil
        {
            throw Self.pastTheEnd(.from(plain.lowerBound))
        }
        guard opened.isOf(reading.resource) else { throw Self.changed }
        return try Self.decrypted(reading, opened, plain, stored)
    }

    /// The request for a stored range; it has no upper bound if the range ends at the end of the
    /// file.
    private static func request(_ stored: Range<Int64>, _ layout: StoredLayout) -> RequestedRange {
        stored.upperBound == layout.storedLength ?? .max ? .from(stored.lowerBound) : .span(stored)
    }

    /// Makes the first reading, if the response's description suffices to decrypt.
    private func readFirst(_ demand: ReadDemand) async throws -> ByteReading {
        let layout = self.opening.emptyLayout
        var stored: Range<Int64>?
        if let lower = demand.range.knownLowerBound {
            guard (0...StoredLayout.farthest).contains(lower) else {
                throw Self.pastTheEnd(demand.range)
            }
            stored = layout.read(for: lower..<max(lower, demand.range.knownUpperBound ?? .max))
        }
        var asked = demand.range
        if let stored { asked = Self.request(stored, layout) }
        if case .suffix(let count) = asked {
            // The suffix may start inside a block, and needs the block before.
            let more = layout.storedUnit + layout.lookBehind
            asked = .suffix(min(count, .max - more) + more)
        }
        let reading: ByteReading
        do {
            reading = try await self.base.read(ReadDemand(asked, version: demand.version))
        } catch let error as SourceError where error.code == .rangeNotSatisfiable {
            guard let length = error.length else { throw Self.pastTheEnd(demand.range) }
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        let opened = try await self.open(reading.resource)
        try opened.check(demand.version)
        let range = try Self.range(demand.range, of: opened)
        if range.isEmpty { return .empty(opened.plain, at: range.lowerBound) }
        // A known length gives the exact end. If the length is unknown, a suffix has no end here,
        // and the base sends the whole resource.
        let end = opened.plain.length == nil ? stored : opened.layout.stored(for: range)
        guard let end, reading.lowerBound <= end.lowerBound else {
            return try await self.reading(opened, range)
        }
        return try Self.decrypted(reading, opened, range, end)
    }

    private static func decrypted(
        _ reading: ByteReading,
        _ opened: OpenedResource,
        _ plain: Range<Int64>,
        _ stored: Range<Int64>
    ) throws(SourceError) -> ByteReading {
        guard reading.lowerBound <= stored.lowerBound else {
            throw SourceError(
                .badAnswer,
                "The source returned other bytes than the requested ones.",
                range: stored
            )
        }
        return reading.replacing(
            resource: opened.plain,
            lowerBound: plain.lowerBound,
            upperBound: opened.plain.length == nil ? nil : plain.upperBound,
            producer: DecryptingProducer(reading, opened, wanted: plain, stored: stored)
        )
    }

    // MARK: Opening

    /// The resource that was opened last, if it is the wanted generation; else the base's current
    /// resource.
    private func known(_ version: ReadDemand.Version?) async throws -> OpenedResource {
        if let opened = self.opened.last, version?.agrees(with: opened.plain) ?? true {
            return opened
        }
        return try await self.open(nil)
    }

    /// Opens the base's resource for decryption, once for all waiting readers.
    ///
    /// - Parameter stored: the wanted generation; `nil` for the current one.
    /// - Returns: the opened resource.
    /// - Throws: the errors of ``ResourceOpening/open(_:)``; `SourceError` with `changed` if the
    ///   generation has changed.
    private func open(_ stored: ResourceDescription?) async throws -> OpenedResource {
        if let stored, let opened = self.opened.last, opened.isOf(stored) { return opened }
        let opening = self.opening
        do {
            for _ in 0..<2 {
                let opened = try await self.shared.value(
                    isGood: { stored != nil && $0.identity != nil && $0.isOf(stored) },
                    make: { try await opening.open(stored) }
                )
                // Another reader may have requested another generation.
                guard stored == nil || opened.isOf(stored) else { continue }
                // Without an identity the next response may be of another generation.
                if opened.identity != nil { self.opened.last = opened }
                return opened
            }
        } catch is CancellationError where !Task.isCancelled {
            throw SourceError(
                .closed,
                "The key provider was cancelled before it returned the key; play the resource again."
            )
        }
        throw Self.changed
    }

    static let changed = SourceError(
        .changed,
        "The resource changed while it was being read; play it again to get the new one."
    )

    private static func pastTheEnd(_ range: RequestedRange) -> SourceError {
        SourceError(
            .rangeNotSatisfiable,
            "The range \(range) starts past the end of the resource."
        )
    }
}
