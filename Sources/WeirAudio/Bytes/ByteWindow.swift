// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The part of a stream that a parser works on: the bytes from its position on that have come.
///
/// Bytes are pushed as chunks of any size. While the position lies in the newest chunk, views and packets are parts
/// of that chunk. Only what is left of older chunks is carried over, by copying it; bytes of the chunk are copied
/// behind it where a view must be in one piece, and are read from the chunk again once the old ones are gone.
///
///     carry:   [ old bytes | copies of the chunk's first ]
///     chunk:                [ borrowed ------------------ | the rest ------------ ]
struct ByteWindow: ~Copyable {
    /// Where the first byte of the window is in the stream; beyond what has come while bytes are skipped.
    private(set) var offset: Int64
    /// Whether no more bytes will come.
    private(set) var isAtEnd = false
    /// How many bytes are to be dropped as they come.
    private var skipping: Int64 = 0

    /// How much memory is kept for what may have to be carried next.
    private static let keptCapacity = 256 << 10

    private var carry = ByteStorage(capacity: 0)
    private var carryStart = 0
    private var carryEnd = 0
    /// How many of the carry's last bytes are copies of the chunk's first.
    private var borrowed = 0

    /// How many bytes were asked for that had not come: memory for so many is allocated at once.
    private var awaited = 0

    private var chunk = ByteMemory.empty
    private var chunkStart = 0

    init(offset: Int64 = 0) {
        self.offset = offset
    }

    /// How many bytes there are.
    @inline(__always)
    var count: Int {
        self.carryEnd &- self.carryStart &- self.borrowed &+ self.chunk.count &- self.chunkStart
    }

    /// Whether bytes were to be skipped that never came.
    var endsInSkip: Bool { self.isAtEnd && self.skipping > 0 }

    /// Up to where bytes have come; behind them, some may be skipped before they come.
    var reachedEnd: Int64 { self.offset - self.skipping }

    // MARK: Bytes come

    /// The next bytes of the stream.
    mutating func push(_ bytes: ByteMemory) {
        var bytes = bytes
        if self.skipping > 0 {
            let dropped = Int(min(self.skipping, Int64(bytes.count)))
            self.skipping -= Int64(dropped)
            bytes = bytes[dropped..<bytes.count]
        }
        let left = self.count
        if left > 0 {
            // Everything that is left becomes old.
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

    /// No more bytes will come.
    mutating func finish() {
        self.isAtEnd = true
    }

    /// What comes next starts at another offset; what is here is forgotten.
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

    // MARK: Bytes are looked at

    /// The first bytes in one piece.
    ///
    /// - Parameter count: how many, from 0.
    /// - Returns: a view that is good until the window changes; `nil` if as many have not come.
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

    /// As many of the first bytes as there are, at most a number of them, in one piece.
    @inline(__always)
    mutating func peek(upTo limit: Int) -> ByteView {
        let count = min(limit, self.count)
        guard let view = self.peek(count) else {
            preconditionFailure("a window has the bytes that it counts")
        }
        return view
    }

    // MARK: Bytes are taken

    /// Takes the first bytes, which must be there.
    ///
    /// - Parameter count: how many, from 0.
    /// - Returns: a part of the newest chunk if they lie in it, a copy if not.
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

    /// Goes on by a number of bytes, which must be there.
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
        // A large tag or index was carried; what comes now is small again.
        if self.carry.capacity > Self.keptCapacity { self.carry = ByteStorage(capacity: 0) }
    }

    /// Goes on by a number of bytes, whether they have come or not.
    mutating func skip(_ count: Int64) {
        precondition(count >= 0, "backwards")
        let here = min(count, Int64(self.count))
        self.drop(Int(here))
        self.skipping += count - here
        self.offset = self.offset.addingReportingOverflow(count - here).partialValue
    }

    // MARK: Carrying

    /// Copies bytes of the chunk behind the carried ones, until there are as many in one piece.
    private mutating func extendCarry(to count: Int) {
        let present = self.carryEnd - self.carryStart
        let added = count - present
        if self.carryEnd + added > self.carry.capacity {
            // A quarter more than what is awaited, or twice what is needed, so that bytes that come one by one are
            // copied a few times each, not many.
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
