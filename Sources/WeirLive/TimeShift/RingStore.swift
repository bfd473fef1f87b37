// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The bytes of a ring: the newest in blocks of memory, the older ones on a disk.
struct RingStore: Sendable {
    /// The position of bytes.
    enum Position: Sendable {
        case memory(ByteMemory)
        /// On disk; read them without the lock.
        case disk(any RingDisk, position: Int64, count: Int)
        case nothing
    }

    /// The state of the disk.
    private enum Disk {
        case unused(@Sendable () throws(RingDiskError) -> any RingDisk)
        case used(any RingDisk)
        case none
    }

    private let geometry: RingGeometry
    /// The blocks, all full but the last.
    private var blocks: [RingBlock] = []
    /// The offset of the first block in the stream, a multiple of the block size.
    private(set) var memoryStart: Int64 = 0
    private var slots = RingSlots()
    private var disk: Disk
    /// Why the ring no longer uses the disk.
    private(set) var trouble: String?

    /// An empty store.
    ///
    /// - Parameters:
    ///   - geometry: the portions.
    ///   - disk: opens the disk when the first block goes there; `nil`: no disk is used.
    init(
        geometry: RingGeometry,
        disk: (@Sendable () throws(RingDiskError) -> any RingDisk)?
    ) {
        self.geometry = geometry
        self.disk = if let disk { .unused(disk) } else { .none }
    }

    /// The first byte that the store can have: without a disk, the first in memory.
    var first: Int64 {
        if case .none = self.disk { self.memoryStart } else { 0 }
    }

    private var extent: Int64 { Int64(self.geometry.extent) }

    // MARK: Writing

    /// Appends bytes at the end; when memory is full, its oldest bytes move to disk.
    ///
    /// - Parameters:
    ///   - bytes: the bytes, which are copied.
    ///   - oldest: the first kept byte; bytes before it do not move to disk.
    mutating func append(_ bytes: ByteMemory, keepingFrom oldest: Int64) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                if self.blocks.last?.room ?? 0 == 0 {
                    self.blocks.append(RingBlock(capacity: self.geometry.block))
                }
                let count = self.blocks[self.blocks.count - 1].fill(rest)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        let block = self.geometry.block
        while self.blocks.count * block > max(block, self.geometry.memory) + block {
            let bytes = self.blocks.removeFirst().view(0..<block)
            let offset = self.memoryStart
            self.memoryStart += Int64(block)
            if self.memoryStart > oldest { self.store(bytes, at: offset) }
        }
    }

    private mutating func store(_ block: ByteMemory, at offset: Int64) {
        do throws(RingDiskError) {
            guard let disk = try self.openedDisk() else { return }
            let slot = Int64(self.slots.assign(offset / self.extent))
            let position = slot * self.extent + offset % self.extent
            try block.withUnsafeBytes { (bytes) throws(RingDiskError) in
                try disk.write(bytes, at: position)
            }
        } catch {
            self.diskFailed(error)
        }
    }

    private mutating func openedDisk() throws(RingDiskError) -> (any RingDisk)? {
        switch self.disk {
        case .none: return nil
        case .used(let disk): return disk
        case .unused(let open):
            let disk = try open()
            self.disk = .used(disk)
            return disk
        }
    }

    /// Stops using the disk, and forgets all bytes on it.
    mutating func diskFailed(_ error: RingDiskError) {
        if self.trouble == nil { self.trouble = error.message }
        self.disk = .none
        self.slots = RingSlots()
    }

    /// Frees the disk's space for bytes before an offset.
    mutating func drop(before offset: Int64) {
        self.slots.release(before: offset / self.extent)
    }

    /// Releases all memory, and the disk.
    mutating func close() {
        self.disk = .none
        self.blocks = []
    }

    // MARK: Reading

    /// Finds the position of kept bytes.
    ///
    /// - Parameters:
    ///   - offset: the first byte.
    ///   - count: how many bytes are wanted.
    /// - Returns: the position of the first bytes, as many as are contiguous.
    func find(_ offset: Int64, _ count: Int) -> Position {
        if offset >= self.memoryStart { return self.memory(at: offset, limit: count) }
        guard case .used(let disk) = self.disk,
            let slot = self.slots.slot(of: offset / self.extent)
        else { return .nothing }
        let within = offset % self.extent
        let rest = min(self.extent - within, self.memoryStart - offset)
        return .disk(
            disk,
            position: Int64(slot) * self.extent + within,
            count: Int(min(Int64(count), rest))
        )
    }

    private func memory(at offset: Int64, limit: Int) -> Position {
        let (index, within) = Int(offset - self.memoryStart)
            .quotientAndRemainder(dividingBy: self.geometry.block)
        guard index < self.blocks.count, within < self.blocks[index].filled else {
            return .nothing
        }
        let block = self.blocks[index]
        return .memory(block.view(within..<min(block.filled, within + max(1, limit))))
    }
}

/// The slots of a ring's extents in its file.
///
/// The first free slot in the file is reused first. So the file is never larger than the most bytes
/// kept at one time.
struct RingSlots: Sendable {
    private var slots: [Int64: Int] = [:]
    private var free: Set<Int> = []

    /// The slot of an extent, if it has one.
    func slot(of extent: Int64) -> Int? { self.slots[extent] }

    /// The slot of an extent; assigns one if it has none.
    mutating func assign(_ extent: Int64) -> Int {
        if let slot = self.slots[extent] { return slot }
        let slot = self.free.min() ?? self.slots.count
        self.free.remove(slot)
        self.slots[extent] = slot
        return slot
    }

    /// Frees the slots of all extents before the given one.
    mutating func release(before extent: Int64) {
        for (old, slot) in self.slots where old < extent {
            self.slots[old] = nil
            self.free.insert(slot)
        }
    }
}

/// The portions in which a ring is kept, and the limits of its index.
struct RingGeometry: Sendable {
    /// The number of bytes in a block; memory is allocated, and the disk is written, a block at a
    /// time.
    var block = 64 << 10
    /// How many bytes are dropped together; a multiple of ``block``.
    var extent = 1 << 20
    /// How many of the newest bytes stay in memory; older ones are written to disk.
    var memory = 1 << 20
    /// The smallest time between two joints.
    var markDistance = Duration.milliseconds(250)
    /// How many events are kept.
    var events = 16 << 10
    /// How many bytes the events may take.
    var eventBytes = 4 << 20
    /// How many headers of logical streams are kept.
    var links = 1 << 10
    /// How many bytes these headers may have together.
    var headBytes = 8 << 20
    /// How many joints are kept.
    var marks = 1 << 17
    /// How many packets are kept: half an hour of radio's shortest packets, 10 ms.
    var packets = 180_000
}
