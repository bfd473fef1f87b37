// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The map from the times of a stream to its bytes.
public struct SeekMap: Sendable {
    /// More samples, and more bytes, than any stream has.
    private static let farthest: Int64 = 1 << 56

    let method: any SeekMethod

    init(_ method: any SeekMethod) { self.method = method }

    /// Starts a search for a time.
    ///
    /// - Parameter time: on the time line of the packets. A time before the first packet finds the
    ///   first packet; a time past the end finds the last.
    /// - Returns: the search, which may be finished without a read.
    public func search(for time: SampleCount) -> SeekSearch {
        SeekSearch(self.method.search(for: Self.cut(time)))
    }

    /// Limits a time, so that later arithmetic cannot overflow 64 bits.
    private static func cut(_ time: SampleCount) -> SampleCount {
        min(max(time, SampleCount(-Self.farthest)), SampleCount(Self.farthest))
    }

    /// Whether a search for a time will find an exact point, as far as known before the search.
    package func isExact(for time: SampleCount) -> Bool {
        self.method.isExact(for: Self.cut(time))
    }

    /// A search for the parts of the stream, if its beginning shows that there are several.
    ///
    /// `nil` if the parts are already known, or if the beginning does not show several.
    package var outlineSearch: SeekSearch? { self.method.outlineSearch.map { SeekSearch($0) } }

    /// A search for the chained streams from the present one on, and for how long they are heard.
    ///
    /// `nil` in formats that are not chained, and if the end of the file is unknown.
    package var linkOutline: SeekSearch? { self.method.linkOutline.map { SeekSearch($0) } }

    /// Whether the file has more bytes than the stream in its header is likely to take.
    package var seemsJoined: Bool { self.method.seemsJoined }

    /// The farthest place up to which the times of all packets are known; `nil` if the method has
    /// no such place.
    package var known: SeekPoint? { self.method.known }

    /// The approximate start of the packet at an offset, without reading.
    ///
    /// - Parameter offset: in the stream; for an offset outside of the packets, the nearest packet
    ///   counts.
    /// - Returns: the time and its precision; `nil` if only reading can find the time.
    public func time(at offset: Int64) -> SeekPoint? {
        self.method.time(at: min(max(offset, 0), Self.farthest))
    }
}

/// How a format finds a time.
protocol SeekMethod: Sendable {
    /// See ``SeekMap/search(for:)``.
    func search(for time: SampleCount) -> any SeekSearching
    /// See ``SeekMap/time(at:)``.
    func time(at offset: Int64) -> SeekPoint?
    /// See ``SeekMap/isExact(for:)``.
    func isExact(for time: SampleCount) -> Bool
    /// See ``SeekMap/known``.
    var known: SeekPoint? { get }
    /// See ``SeekMap/outlineSearch``.
    var outlineSearch: (any SeekSearching)? { get }
    /// See ``SeekMap/linkOutline``.
    var linkOutline: (any SeekSearching)? { get }
    /// See ``SeekMap/seemsJoined``.
    var seemsJoined: Bool { get }
}

/// The defaults suit formats that store the times of their packets.
extension SeekMethod {
    func isExact(for _: SampleCount) -> Bool { true }

    var known: SeekPoint? { nil }

    var outlineSearch: (any SeekSearching)? { nil }

    var linkOutline: (any SeekSearching)? { nil }

    var seemsJoined: Bool { false }
}

/// The place at which reading starts, to play from a time.
public struct SeekPoint: Hashable, Sendable {
    /// How exactly the offset and the time of a point are known.
    public enum Precision: String, Hashable, Sendable {
        /// A packet starts at ``SeekPoint/offset``, and its time is exactly ``SeekPoint/start``.
        case exact
        /// Taken from a table of the stream; the error is at most one step of the table.
        case table
        /// Computed from the bit rate.
        case estimated
    }

    /// The byte to start at.
    public var offset: Int64
    /// When the first packet from ``offset`` on starts, as far as known; at or before the wanted
    /// time.
    public var start: SampleCount
    /// How exactly ``offset`` and ``start`` are known.
    public var precision: Precision

    /// A point.
    public init(offset: Int64, start: SampleCount, precision: Precision) {
        self.offset = offset
        self.start = start
        self.precision = precision
    }
}

/// A search for the byte at which to start for a time: it names the ranges to read.
///
///     var search = map.search(for: time)
///     while case .read(let range) = search.step { search.read(try await source.bytes(in: range)) }
///     guard case .found(let point) = search.step else { … }
public struct SeekSearch: Sendable {
    /// The caller's next action.
    public enum Step: Hashable, Sendable {
        /// Read this range, at most 64 KiB, and give it to ``SeekSearch/read(_:)``.
        case read(Range<Int64>)
        /// The byte to start at.
        case found(SeekPoint)
    }

    private var searching: any SeekSearching

    init(_ searching: any SeekSearching) { self.searching = searching }

    /// The caller's next action.
    public var step: Step { self.searching.step }

    /// The parts of the stream that the search measured.
    var stretches: [FrameStretch] { self.searching.stretches }

    /// Whether the point is in a later joined file, not in the file where the search began.
    package var leavesPart: Bool { (self.outline?.landing?.index ?? 0) > 0 }

    /// The result of a ``SeekMap/linkOutline``; `nil` if the search has not reached the end.
    package var linkExtent: LinkExtent? { self.searching.extent }

    /// Whether the search failed: a reader finds the time only by reading everything up to that
    /// time.
    package var isLost: Bool { self.searching.isLost }

    /// The parts that the search found.
    var outline: MPEGOutline? { self.searching.outline }

    /// Takes the requested bytes, or fewer if the stream ends.
    public mutating func read(_ bytes: ByteMemory) { self.searching.read(bytes) }
}

/// A search of one format; it ends after a bounded number of steps, whatever the bytes are.
protocol SeekSearching: Sendable {
    /// The caller's next action.
    var step: SeekSearch.Step { get }
    /// Takes the bytes of the last step's range, or as many as there are.
    mutating func read(_ bytes: ByteMemory)
    /// The parts of the stream that the search measured.
    var stretches: [FrameStretch] { get }
    /// The parts of the stream, as far as known.
    var outline: MPEGOutline? { get }
    /// See ``SeekSearch/isLost``.
    var isLost: Bool { get }
    /// See ``SeekSearch/linkExtent``.
    var extent: LinkExtent? { get }
    /// Where and when the present stream ends and a joined stream begins, if known.
    var border: Bisection.Mark? { get }
}

extension SeekSearching {
    var stretches: [FrameStretch] { [] }
    var isLost: Bool { false }
    var extent: LinkExtent? { nil }
    var border: Bisection.Mark? { nil }
    var outline: MPEGOutline? { nil }
}

/// A point that is known without reading is a finished search.
extension SeekPoint: SeekSearching {
    var step: SeekSearch.Step { .found(self) }

    mutating func read(_: ByteMemory) {}
}
