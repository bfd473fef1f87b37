// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A search for the byte at which to start for a time: says what to read, and learns from it.
///
///     var search = map.search(for: time)
///     while case .read(let range) = search.step { search.read(try await source.bytes(in: range)) }
///     guard case .found(let point) = search.step else { … }
public struct SeekSearch: Sendable {
    /// What is to be done.
    public enum Step: Hashable, Sendable {
        /// Read this range, at most 64 KiB, and give it to ``SeekSearch/read(_:)``.
        case read(Range<Int64>)
        /// There it is.
        case found(SeekPoint)
    }

    private var searching: any SeekSearching

    init(_ searching: any SeekSearching) { self.searching = searching }

    /// What is to be done next.
    public var step: Step { self.searching.step }

    /// The bytes that were asked for; fewer where the stream ends.
    public mutating func read(_ bytes: ByteMemory) { self.searching.read(bytes) }
}

/// A search of one format; ends after a bounded number of steps whatever is read.
protocol SeekSearching: Sendable {
    /// What is to be done next.
    var step: SeekSearch.Step { get }
    /// The bytes of the range of the last step, or as many as there are.
    mutating func read(_ bytes: ByteMemory)
}

/// A search that needs no reading.
struct KnownPoint: SeekSearching {
    let point: SeekPoint

    var step: SeekSearch.Step { .found(self.point) }

    mutating func read(_: ByteMemory) {}
}
