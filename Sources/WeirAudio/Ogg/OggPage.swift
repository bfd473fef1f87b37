// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
