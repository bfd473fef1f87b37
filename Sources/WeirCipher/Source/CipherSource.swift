// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// A source that decrypts what another source has: its readers get the plain bytes.
///
/// Lies above the cache, which therefore holds what the origin sent; each reader decrypts the cached bytes again.
/// A plain range costs the stored one around it, at most one block (for age: one chunk) more at each end. Before the
/// first byte, and once for each generation of the resource, what the format needs to be understood is read, too: the
/// header of an age file and its last chunk; the last two blocks where padding hides the length; a vector or a salt in
/// front.
///
/// Of an authenticated format no byte is handed on before its chunk has been checked. In the others a wrong key gives
/// wrong bytes, unless the padding gives it away.
///
/// **Errors** are `SourceError`s: those of the base; `wrongKey`; `damaged` for bytes that were changed, files that were
/// cut off, and lengths that no file of the format can have; `invalidRequest` where key and settings do not go together.
/// What a key provider throws is passed on as it is.
package final class CipherSource: ByteSource {
    private let base: any ByteSource
    private let opening: ResourceOpening
    private let opened = LastOpened()
    /// An opening that no reader waits for any more is cancelled.
    private let shared = Shared<OpenedResource>(isAbandonable: true)

    /// Decorates a source.
    ///
    /// - Parameters:
    ///   - base: the source of the stored bytes.
    ///   - decryption: the format and the key.
    ///   - request: what a key is asked for; its `resource` stands in sentences.
    package init(_ base: any ByteSource, decryption: Decryption, for request: KeyRequest) {
        self.base = base
        self.opening = ResourceOpening(
            base: base,
            scheme: decryption.scheme,
            keyRequest: request
        )
    }

    /// Tells what the plain resource is.
    ///
    /// - Throws: as ``read(_:)``.
    package func describe() async throws -> ResourceDescription {
        try await self.untilUnchanged(version: nil) {
            try await self.open(try await self.base.describe()).plain
        }
    }

    /// Asks the base.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        guard let opened = self.opened.last, version.agrees(with: opened.plain) else {
            return version.agrees(with: try await self.describe())
        }
        return try await self.base.isUnchanged(opened.stored.version)
    }

    /// Starts to read a plain range.
    ///
    /// - Throws: what the base throws, and what is wrong with the file or the key.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.untilUnchanged(version: demand.version) { try await self.readOnce(demand) }
    }

    /// The plain bytes of what lies on disk, decrypted when they are read; of whole blocks or chunks.
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

    /// Has the base open what it holds; a slice of an encrypted resource can be lent once the resource has been read.
    package func openHeld() async { await self.base.openHeld() }

    /// When the base heard of its origin.
    package var timeSinceConfirmation: Duration? { self.base.timeSinceConfirmation }

    /// Which plain bytes the base holds; nothing until the resource has been opened.
    package var availability: Availability {
        Self.plain(self.base.availability, self.opened.last)
    }

    /// The availability now, and again whenever it has changed.
    package func availabilityChanges() -> AsyncStream<Availability> {
        let (base, opened) = (self.base, self.opened)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = opened.listen { last in
                continuation.yield(Self.plain(base.availability, last))
            }
            // Owned by the stream, which cancels it when its listener has gone; ends with the base's stream.
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

    /// Tries again what met a change at its start, unless one generation is wanted.
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

    /// The plain range that is asked for; to `Int64.max` where the end is not known.
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

    /// Reads from the base what a plain range needs.
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

    /// A stored range as it is asked for; to the end without naming it.
    private static func request(_ stored: Range<Int64>, _ layout: StoredLayout) -> RequestedRange {
        stored.upperBound == layout.storedLength ?? .max ? .from(stored.lowerBound) : .span(stored)
    }

    /// The first reading, where nothing must be known of the file but what its answer tells.
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
            // It may start within a block, and needs the one before.
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
        // Where the length was not known, a suffix is the whole; where it is, the end is.
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
                "The source answered with other bytes than those that were asked for.",
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

    /// What was opened last, unless another generation is wanted; or what the base has now.
    private func known(_ version: ReadDemand.Version?) async throws -> OpenedResource {
        if let opened = self.opened.last, version?.agrees(with: opened.plain) ?? true {
            return opened
        }
        return try await self.open(nil)
    }

    /// Learns how to decrypt what the base has, once for all readers that wait for it.
    ///
    /// - Parameter stored: the generation that is wanted; `nil` for what there is now.
    /// - Returns: what is needed to decrypt it.
    /// - Throws: what ``ResourceOpening/open(_:)`` throws; `SourceError` with `changed` if there is another generation now.
    private func open(_ stored: ResourceDescription?) async throws -> OpenedResource {
        if let stored, let opened = self.opened.last, opened.isOf(stored) { return opened }
        let opening = self.opening
        do {
            for _ in 0..<2 {
                let opened = try await self.shared.value(
                    isGood: { stored != nil && $0.identity != nil && $0.isOf(stored) },
                    make: { try await opening.open(stored) }
                )
                // Another reader may have asked for another generation.
                guard stored == nil || opened.isOf(stored) else { continue }
                // Without an identity the next answer may be of another generation.
                if opened.identity != nil { self.opened.last = opened }
                return opened
            }
        } catch is CancellationError where !Task.isCancelled {
            throw SourceError(
                .closed,
                "The key was asked for, and its provider broke off; play the resource again."
            )
        }
        throw Self.changed
    }

    static let changed = SourceError(
        .changed,
        "The resource is no longer the one that was being read; play it again to get the new one."
    )

    private static func pastTheEnd(_ range: RequestedRange) -> SourceError {
        SourceError(
            .rangeNotSatisfiable,
            "The range \(range) starts past the end of the resource."
        )
    }
}
