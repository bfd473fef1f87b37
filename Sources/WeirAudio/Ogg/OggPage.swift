// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A page whose checksum matches, and the position up to which the page was read.
struct OggPage: Sendable {
    /// The range of a packet, or of its part in the page, and whether the packet ends with this
    /// part.
    typealias Piece = (range: Range<Int>, isEnd: Bool)

    /// The position in a page: the next segment, and its offset in the page.
    typealias Cursor = (segment: Int, position: Int)

    /// The whole page.
    let bytes: ByteMemory
    /// The offset of the page in the stream.
    let offset: Int64
    /// The page's header.
    let header: OggPageHeader
    /// The position of the next piece.
    private(set) var cursor: Cursor

    /// - Parameters:
    ///   - bytes: the whole page, as large as its header says.
    ///   - offset: the offset of the page in the stream.
    ///   - header: the page's header.
    init(bytes: ByteMemory, offset: Int64, header: OggPageHeader) {
        self.bytes = bytes
        self.offset = offset
        self.header = header
        self.cursor = (0, OggPageHeader.byteCount + header.segmentCount)
    }

    /// The offset in the stream at which the page ends.
    var end: Int64 { self.offset + Int64(self.bytes.count) }

    /// Whether the whole page was read.
    @inline(__always)
    var isEmpty: Bool { self.cursor.segment == self.header.segmentCount }

    /// Whether a packet ends in the page.
    var endsPacket: Bool {
        let view = self.view
        var index = self.header.segmentCount
        while index > 0 {
            index -= 1
            if view[OggPageHeader.byteCount + index] < 255 { return true }
        }
        return false
    }

    /// The whole page as a view, valid as long as this value or a copy of it is kept.
    @inline(__always)
    var view: ByteView { self.bytes.view }

    /// Takes the next packet, or part of a packet.
    ///
    /// - Returns: `nil` if the whole page was read.
    @inline(__always)
    mutating func next() -> Piece? {
        let count = self.header.segmentCount
        var segment = self.cursor.segment
        guard segment < count else { return nil }
        let sizes = self.view[OggPageHeader.byteCount..<OggPageHeader.byteCount &+ count]
        let start = self.cursor.position
        var end = start
        var isEnd = false
        // The index stays within `sizes`, because `count` is their number.
        while segment < count, !isEnd {
            let size = Int(sizes.base[segment])
            segment &+= 1
            end &+= size
            isEnd = size < 255
        }
        self.cursor = (segment, end)
        return (start..<end, isEnd)
    }

    /// Goes back to a position.
    mutating func rewind(to cursor: Cursor) {
        self.cursor = cursor
    }
}

/// A packet that spans several pages, as far as it has arrived.
struct OggPartialPacket: Sendable {
    /// The packet's bytes so far; if ``isCut``, only its first bytes.
    private(set) var bytes: [UInt8] = []
    /// The offset of the packet's first byte in the stream.
    private(set) var offset: Int64 = 0
    /// Whether a packet has begun and not ended.
    private(set) var isOpen = false
    /// Whether the packet was longer than its limit.
    private(set) var isCut = false

    /// The most memory that is kept from one packet to the next.
    private static let keptCapacity = 128 << 10
    /// How many bytes are kept of a packet that is too long.
    private static let cutCount = 64

    /// Begins a packet without bytes.
    mutating func open(at offset: Int64) {
        self.bytes.removeAll(keepingCapacity: self.bytes.capacity <= Self.keptCapacity)
        self.offset = offset
        self.isOpen = true
        self.isCut = false
    }

    /// Adds the part of the packet that is in a page.
    ///
    /// - Parameters:
    ///   - view: the part.
    ///   - limit: how many bytes the packet may have; a longer packet is cut.
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

    /// Ends the packet; the bytes stay until the next packet begins.
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
