// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The part of a stream that a parser works on: the received bytes from its position on.
///
/// The caller pushes chunks of any size. While the position is in the newest chunk, views and
/// packets are parts of that chunk. The window copies only the remaining bytes of older chunks (the
/// carry). If a view must be contiguous, the window copies the chunk's first bytes to the end of
/// the carry. After the old bytes are dropped, the window reads these bytes from the chunk again.
///
///     carry:   [ old bytes | copies of the chunk's first ]
///     chunk:                [ borrowed ------------------ | the rest ------------ ]
struct ByteWindow: ~Copyable {
    /// The offset of the window's first byte in the stream; beyond the received bytes during a
    /// skip.
    private(set) var offset: Int64
    /// Whether no more bytes will arrive.
    private(set) var isAtEnd = false
    /// How many bytes to drop as they arrive.
    private var skipping: Int64 = 0

    /// The largest carry buffer that is kept for later.
    private static let keptCapacity = 256 << 10

    private var carry = ByteStorage(capacity: 0)
    private var carryStart = 0
    private var carryEnd = 0
    /// How many of the carry's last bytes are copies of the chunk's first bytes.
    private var borrowed = 0

    /// The size of the last request that could not be met; the carry then allocates memory for that
    /// size at once.
    private var awaited = 0

    private var chunk = ByteMemory.empty
    private var chunkStart = 0

    init(offset: Int64 = 0) {
        self.offset = offset
    }

    /// How many bytes the window has.
    @inline(__always)
    var count: Int {
        self.carryEnd &- self.carryStart &- self.borrowed &+ self.chunk.count &- self.chunkStart
    }

    /// Whether the stream ended before all the skipped bytes arrived.
    var endsInSkip: Bool { self.isAtEnd && self.skipping > 0 }

    /// During a skip, the end of the received bytes, before ``offset``; otherwise ``offset``.
    var reachedEnd: Int64 { self.offset - self.skipping }

    // MARK: Adding bytes

    /// Takes the next bytes of the stream.
    mutating func push(_ bytes: ByteMemory) {
        var bytes = bytes
        if self.skipping > 0 {
            let dropped = Int(min(self.skipping, Int64(bytes.count)))
            self.skipping -= Int64(dropped)
            bytes = bytes[dropped..<bytes.count]
        }
        let left = self.count
        if left > 0 {
            // All remaining bytes become old.
            let old = self.carryEnd - self.carryStart
            if left > old { self.extendCarry(to: left) }
            self.borrowed = 0
        } else {
            self.carryStart = 0
            self.carryEnd = 0
            self.borrowed = 0
        }
        self.chunk = bytes.pinned
        self.chunkStart = 0
    }

    /// Ends the stream.
    mutating func finish() {
        self.isAtEnd = true
    }

    /// Continues at another offset and discards all bytes.
    mutating func jump(to offset: Int64) {
        self.carryStart = 0
        self.carryEnd = 0
        self.borrowed = 0
        self.chunk = .empty
        self.chunkStart = 0
        self.skipping = 0
        self.isAtEnd = false
        self.offset = offset
    }

    // MARK: Reading bytes

    /// The first bytes in one piece.
    ///
    /// - Parameter count: how many, from 0.
    /// - Returns: a view that is valid until the window changes; `nil` if fewer bytes have arrived.
    @inline(__always)
    mutating func peek(_ count: Int) -> ByteView? {
        if self.carryStart == self.carryEnd {
            guard self.chunk.count &- self.chunkStart >= count else {
                self.awaited = count
                return nil
            }
            return ByteView(base: self.chunk.view.base + self.chunkStart, count: count)
        }
        return self.peekCarried(count)
    }

    @inline(never)
    private mutating func peekCarried(_ count: Int) -> ByteView? {
        guard self.count >= count else {
            self.awaited = count
            return nil
        }
        if self.carryEnd - self.carryStart < count { self.extendCarry(to: count) }
        return ByteView(base: UnsafePointer(self.carry.base + self.carryStart), count: count)
    }

    /// The first bytes in one piece: all of them, or the first `limit`.
    @inline(__always)
    mutating func peek(upTo limit: Int) -> ByteView {
        let count = min(limit, self.count)
        guard let view = self.peek(count) else {
            preconditionFailure("a window has the bytes that it counts")
        }
        return view
    }

    // MARK: Taking bytes

    /// Takes the first bytes, which the window must have.
    ///
    /// - Parameter count: how many, from 0.
    /// - Returns: a part of the newest chunk if the bytes are in it, otherwise a copy.
    mutating func take(_ count: Int) -> ByteMemory {
        precondition(count >= 0 && count <= self.count, "more than the window has")
        defer { self.drop(count) }
        if self.carryStart == self.carryEnd {
            return self.chunk[self.chunkStart..<self.chunkStart + count]
        }
        let storage = ByteStorage(capacity: count)
        let carried = min(count, self.carryEnd - self.carryStart)
        storage.base.update(from: self.carry.base + self.carryStart, count: carried)
        let rest = count - carried
        if rest > 0 {
            let start = self.chunkStart + self.borrowed
            (storage.base + carried).update(from: self.chunk.view.base + start, count: rest)
        }
        return ByteMemory(storage, count: count)
    }

    /// Drops the first bytes, which the window must have.
    @inline(__always)
    mutating func drop(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "more than the window has")
        self.offset &+= Int64(count)
        if self.carryStart == self.carryEnd {
            self.chunkStart &+= count
            return
        }
        self.dropCarried(count)
    }

    @inline(never)
    private mutating func dropCarried(_ count: Int) {
        let own = self.carryEnd - self.carryStart - self.borrowed
        if count < own {
            self.carryStart += count
            return
        }
        self.chunkStart += count - own
        self.carryStart = 0
        self.carryEnd = 0
        self.borrowed = 0
        // The carry held a large tag or index; the next parts are small again.
        if self.carry.capacity > Self.keptCapacity { self.carry = ByteStorage(capacity: 0) }
    }

    /// Skips a number of bytes, including bytes that have not arrived yet.
    mutating func skip(_ count: Int64) {
        precondition(count >= 0, "backwards")
        let here = min(count, Int64(self.count))
        self.drop(Int(here))
        self.skipping += count - here
        self.offset = self.offset.addingReportingOverflow(count - here).partialValue
    }

    // MARK: Carrying

    /// Copies bytes of the chunk to the end of the carry, until enough bytes are contiguous.
    private mutating func extendCarry(to count: Int) {
        let present = self.carryEnd - self.carryStart
        let added = count - present
        if self.carryEnd + added > self.carry.capacity {
            // A quarter more than the awaited size, or twice the needed size, so that bytes that
            // arrive singly are copied only a few times each.
            let awaited = self.awaited + max(512, self.awaited / 4)
            let capacity = count < self.awaited ? awaited : max(512, count * 2)
            let grown =
                capacity <= self.carry.capacity ? self.carry : ByteStorage(capacity: capacity)
            grown.base.update(from: self.carry.base + self.carryStart, count: present)
            self.carry = grown
            self.carryStart = 0
            self.carryEnd = present
        }
        let start = self.chunkStart + self.borrowed
        (self.carry.base + self.carryEnd).update(from: self.chunk.view.base + start, count: added)
        self.carryEnd += added
        self.borrowed += added
    }
}
