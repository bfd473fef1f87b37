// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
