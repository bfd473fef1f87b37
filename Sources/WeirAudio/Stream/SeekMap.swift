// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the times of a stream lie in its bytes.
public struct SeekMap: Sendable {
    /// More than any stream has, in samples and in bytes.
    private static let farthest: Int64 = 1 << 56

    let method: any SeekMethod

    init(_ method: any SeekMethod) { self.method = method }

    /// Starts to look for a time.
    ///
    /// - Parameter time: on the time line of the packets; before the first: the first; past the end: the last.
    /// - Returns: the search, which may be over without a look at the stream.
    public func search(for time: SampleCount) -> SeekSearch {
        SeekSearch(self.method.search(for: Self.cut(time)))
    }

    /// A time that no stream reaches is cut here, so that no arithmetic behind it meets the ends of 64 bits.
    private static func cut(_ time: SampleCount) -> SampleCount {
        min(max(time, SampleCount(-Self.farthest)), SampleCount(Self.farthest))
    }

    /// Whether a search for a time ends exactly, as far as that is known before.
    package func isExact(for time: SampleCount) -> Bool {
        self.method.isExact(for: Self.cut(time))
    }

    /// A search that finds out of which parts the stream consists, where its beginning tells that there are several; `nil`
    /// where that is known, or nothing tells it.
    package var outlineSearch: SeekSearch? { self.method.outlineSearch.map { SeekSearch($0) } }

    /// A search that finds out how many streams follow each other in the file from the present one on, and how long they
    /// are heard; `nil` in formats that are not chained, and where the file has no known end.
    package var linkOutline: SeekSearch? { self.method.linkOutline.map { SeekSearch($0) } }

    /// Whether the file has more bytes than what its header describes is likely to take.
    package var seemsJoined: Bool { self.method.seemsJoined }

    /// The farthest place up to which the times of all packets are known; `nil` where times are found in another way.
    package var known: SeekPoint? { self.method.known }

    /// About when the packet at an offset starts, from what is known without reading.
    ///
    /// - Parameter offset: in the stream; outside of its packets: the nearest.
    /// - Returns: the time and how far it can be trusted; `nil` where only reading can tell.
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

/// Most formats tell the times of their packets themselves.
extension SeekMethod {
    func isExact(for _: SampleCount) -> Bool { true }

    var known: SeekPoint? { nil }

    var outlineSearch: (any SeekSearching)? { nil }

    var linkOutline: (any SeekSearching)? { nil }

    var seemsJoined: Bool { false }
}

/// Where to start reading in order to play from a time.
public struct SeekPoint: Hashable, Sendable {
    /// How near the packet at ``offset`` is to what was asked.
    public enum Precision: String, Hashable, Sendable {
        /// A packet starts at the offset, and it starts at ``start``, exactly.
        case exact
        /// A table of the stream says so; off by no more than its steps.
        case table
        /// Worked out from the bit rate.
        case estimated
    }

    /// The byte to start at.
    public var offset: Int64
    /// When the first packet from there starts, as far as known; at or before what was asked.
    public var start: SampleCount
    /// How far offset and start can be trusted.
    public var precision: Precision

    /// A point.
    public init(offset: Int64, start: SampleCount, precision: Precision) {
        self.offset = offset
        self.start = start
        self.precision = precision
    }
}

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
        /// The byte to start at.
        case found(SeekPoint)
    }

    private var searching: any SeekSearching

    init(_ searching: any SeekSearching) { self.searching = searching }

    /// What is to be done next.
    public var step: Step { self.searching.step }

    /// What was measured on the way.
    var stretches: [FrameStretch] { self.searching.stretches }

    /// Whether the point lies in another of several joined files than the one where the search began.
    package var leavesPart: Bool { (self.outline?.landing?.index ?? 0) > 0 }

    /// What a ``SeekMap/linkOutline`` has found; `nil` if it has not come to the end.
    package var linkExtent: LinkExtent? { self.searching.extent }

    /// Whether the search was in vain: only reading on finds the time.
    package var isLost: Bool { self.searching.isLost }

    /// The parts that were found on the way.
    var outline: MPEGOutline? { self.searching.outline }

    /// The bytes that were asked for; fewer where the stream ends.
    public mutating func read(_ bytes: ByteMemory) { self.searching.read(bytes) }
}

/// A search of one format; ends after a bounded number of steps whatever is read.
protocol SeekSearching: Sendable {
    /// What is to be done next.
    var step: SeekSearch.Step { get }
    /// The bytes of the range of the last step, or as many as there are.
    mutating func read(_ bytes: ByteMemory)
    /// How long parts of the stream last that were read.
    var stretches: [FrameStretch] { get }
    /// The parts of which the stream consists, as far as it was found out.
    var outline: MPEGOutline? { get }
    /// See ``SeekSearch/isLost``.
    var isLost: Bool { get }
    /// See ``SeekSearch/linkExtent``.
    var extent: LinkExtent? { get }
    /// Where and when the present of several joined streams ends, if that was found out.
    var border: Bisection.Mark? { get }
}

extension SeekSearching {
    var stretches: [FrameStretch] { [] }
    var isLost: Bool { false }
    var extent: LinkExtent? { nil }
    var border: Bisection.Mark? { nil }
    var outline: MPEGOutline? { nil }
}

/// A point that is known without reading is a search that is over.
extension SeekPoint: SeekSearching {
    var step: SeekSearch.Step { .found(self) }

    mutating func read(_: ByteMemory) {}
}
