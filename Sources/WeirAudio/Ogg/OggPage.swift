// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The header of an Ogg page (RFC 3533 §6); integers have their least significant byte first.
///
///     offset 0   "OggS"                           32 bits
///            4   version, 0                        8
///            5   flags                             8   1 continued, 2 first of its stream, 4 last of its stream
///            6   granule position                 64   of the last packet that ends here; -1: none does
///           14   serial number of the stream      32
///           18   sequence number of the page      32
///           22   CRC-32                           32   of the whole page with this field zeroed
///           26   number of segments, n             8
///           27   sizes of the segments             8 n   a packet ends with a segment of less than 255 bytes
///       27 + n   the segments
struct OggPageHeader: Hashable, Sendable {
    /// How many bytes it takes, without the sizes of the segments.
    static let byteCount = 27
    /// The largest page: 255 segments of 255 bytes.
    static let maximumPageByteCount = 27 + 255 + 255 * 255
    /// No granule position beyond this is believed, so that sums of times fit (2^62 samples are a million years).
    private static let maximumGranule: Int64 = 1 << 62

    /// Whether the first segment goes on with a packet of an earlier page.
    let isContinued: Bool
    /// Whether this is the first page of its stream.
    let isFirst: Bool
    /// Whether this is the last page of its stream.
    let isLast: Bool
    /// The granule position as stored, 0 to 2^62; `nil` for -1 and what cannot be one.
    let granule: Int64?
    /// Which of the multiplexed streams the page belongs to.
    let serial: UInt32
    /// The number of the page in its stream.
    let sequence: UInt32
    /// The checksum as stored.
    let checksum: UInt32
    /// How many segments there are, 0 to 255.
    let segmentCount: Int

    /// Reads a header; `nil` if no page of version 0 starts there.
    ///
    /// - Parameter view: the bytes from where a page may start, at least 27.
    @inline(__always)
    init?(_ view: ByteView) {
        guard view.count >= Self.byteCount, view.matches("OggS"), view[4] == 0, view[5] < 8 else {
            return nil
        }
        self.isContinued = view[5] & 1 != 0
        self.isFirst = view[5] & 2 != 0
        self.isLast = view[5] & 4 != 0
        let granule = view.little(6, Int64.self)
        self.granule = granule >= 0 && granule <= Self.maximumGranule ? granule : nil
        self.serial = view.little(14)
        self.sequence = view.little(18)
        self.checksum = view.little(22)
        self.segmentCount = Int(view[26])
    }

    /// How many bytes the page takes.
    ///
    /// - Parameter view: the page, at least its header and the sizes of the segments.
    /// - Returns: 27 to 65,307.
    @inline(__always)
    func pageByteCount(_ view: ByteView) -> Int {
        var count = Self.byteCount &+ self.segmentCount
        let sizes = view[Self.byteCount..<Self.byteCount &+ self.segmentCount]
        for index in 0..<self.segmentCount { count &+= Int(sizes.base[index]) }
        return count
    }
}

/// A page whose checksum fits, and how far it has been taken apart.
struct OggPage: Sendable {
    /// Where a packet, or the part of one that lies in the page, is in the page, and whether the packet ends with it.
    typealias Piece = (range: Range<Int>, isEnd: Bool)

    /// How far a page has been taken apart: the next segment, and where it is in the page.
    typealias Cursor = (segment: Int, position: Int)

    /// The whole page.
    let bytes: ByteMemory
    /// Where it is in the stream.
    let offset: Int64
    /// What its header says.
    let header: OggPageHeader
    /// What comes next.
    private(set) var cursor: Cursor

    /// - Parameters:
    ///   - bytes: the whole page, as large as its header says.
    ///   - offset: where it is in the stream.
    ///   - header: what its header says.
    init(bytes: ByteMemory, offset: Int64, header: OggPageHeader) {
        self.bytes = bytes
        self.offset = offset
        self.header = header
        self.cursor = (0, OggPageHeader.byteCount + header.segmentCount)
    }

    /// Where the page ends in the stream.
    var end: Int64 { self.offset + Int64(self.bytes.count) }

    /// Whether nothing is left of it.
    @inline(__always)
    var isEmpty: Bool { self.cursor.segment == self.header.segmentCount }

    /// Whether a packet ends in it.
    var endsPacket: Bool {
        let view = self.view
        var index = self.header.segmentCount
        while index > 0 {
            index -= 1
            if view[OggPageHeader.byteCount + index] < 255 { return true }
        }
        return false
    }

    /// The whole page as a view, good for as long as this value or a copy of it is kept.
    @inline(__always)
    var view: ByteView { self.bytes.view }

    /// Takes the next packet, or part of one.
    ///
    /// - Returns: `nil` if nothing is left.
    @inline(__always)
    mutating func next() -> Piece? {
        let count = self.header.segmentCount
        var segment = self.cursor.segment
        guard segment < count else { return nil }
        let sizes = self.view[OggPageHeader.byteCount..<OggPageHeader.byteCount &+ count]
        let start = self.cursor.position
        var end = start
        var isEnd = false
        // Within the sizes as the count is theirs.
        while segment < count, !isEnd {
            let size = Int(sizes.base[segment])
            segment &+= 1
            end &+= size
            isEnd = size < 255
        }
        self.cursor = (segment, end)
        return (start..<end, isEnd)
    }

    /// Goes back to where it was.
    mutating func rewind(to cursor: Cursor) {
        self.cursor = cursor
    }
}

/// A packet that lies on several pages, as far as they have come.
struct OggPartialPacket: Sendable {
    /// What there is of it; when ``isCut``, only its first bytes.
    private(set) var bytes: [UInt8] = []
    /// Where its first byte is in the stream.
    private(set) var offset: Int64 = 0
    /// Whether it began and has not ended.
    private(set) var isOpen = false
    /// Whether it was longer than may be kept.
    private(set) var isCut = false

    /// How much memory is kept from one packet to the next.
    private static let keptCapacity = 128 << 10
    /// How much is kept of a packet that is too long.
    private static let cutCount = 64

    /// Begins a packet, which has no bytes yet.
    mutating func open(at offset: Int64) {
        self.bytes.removeAll(keepingCapacity: self.bytes.capacity <= Self.keptCapacity)
        self.offset = offset
        self.isOpen = true
        self.isCut = false
    }

    /// Adds the part of it that lies in a page.
    ///
    /// - Parameters:
    ///   - view: the part.
    ///   - limit: how many bytes it may have in all; beyond that it is cut.
    mutating func append(_ view: ByteView, limit: Int) {
        guard !self.isCut else { return }
        let count = self.bytes.count + view.count
        guard count <= limit else {
            self.isCut = true
            let front = UnsafeBufferPointer(start: view.base, count: min(view.count, Self.cutCount))
            self.bytes = Array((self.bytes.prefix(Self.cutCount) + front).prefix(Self.cutCount))
            return
        }
        if count > self.bytes.capacity {
            self.bytes.reserveCapacity(max(count, min(limit, 2 * self.bytes.capacity, 2 * count)))
        }
        self.bytes.append(contentsOf: UnsafeBufferPointer(start: view.base, count: view.count))
    }

    /// Ends it; the bytes stay until the next begins.
    mutating func close() {
        self.isOpen = false
    }

    /// Lends the bytes as a view.
    func withView<Result, Failure: Error>(
        _ body: (ByteView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = self.bytes
        return try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) -> Result in
            guard let base = buffer.baseAddress else {
                return try body(ByteView.empty)
            }
            return try body(ByteView(base: base, count: buffer.count))
        }
    }
}
