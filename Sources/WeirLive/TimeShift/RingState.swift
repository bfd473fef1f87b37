// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The whole state of a ring, without its lock.
struct RingState: Sendable {
    /// A step of a reader.
    enum Step: Sendable {
        /// This piece; the cursor has moved behind it.
        case piece(StationPiece)
        /// Bytes to read from disk, without the lock; the cursor has not moved.
        case disk(any RingDisk, position: Int64, count: Int)
        /// No piece for now.
        case nothing
    }

    /// The place of bytes.
    enum Place: Sendable {
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

    private(set) var index: RingIndex
    /// Why the ring no longer uses the disk.
    private(set) var trouble: String?
    private let limits: TimeShiftLimits
    private var memory: RingMemory
    private var slots = RingSlots()
    private var disk: Disk
    private(set) var isClosed = false

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - limits: how much is kept.
    ///   - geometry: the portions.
    ///   - disk: opens the disk when the first block goes there.
    init(
        limits: TimeShiftLimits,
        geometry: RingGeometry,
        disk: @escaping @Sendable () throws(RingDiskError) -> any RingDisk
    ) {
        self.index = RingIndex(geometry: geometry)
        self.limits = limits
        self.memory = RingMemory(block: geometry.block, limit: geometry.memory)
        self.disk = limits.duration > .zero ? .unused(disk) : .none
    }

    // MARK: Input

    /// Changes the index.
    mutating func change(_ change: (inout RingIndex) -> Void) {
        guard !self.isClosed else { return }
        change(&self.index)
        self.release()
    }

    /// Appends bytes.
    ///
    /// When memory is full, its oldest bytes move to disk; bytes beyond the limits are dropped.
    mutating func append(_ bytes: ByteMemory) {
        guard !self.isClosed, !bytes.isEmpty else { return }
        self.index.append(bytes)
        self.memory.append(bytes)
        self.index.trim(to: self.limits)
        while let block = self.memory.evict() {
            if block.offset + Int64(block.bytes.count) > self.index.oldest { self.store(block) }
        }
        self.release()
    }

    private mutating func store(_ block: (offset: Int64, bytes: ByteMemory)) {
        do throws(RingDiskError) {
            guard let disk = try self.openedDisk() else {
                return self.index.drop(to: self.memory.start)
            }
            let extent = Int64(self.index.geometry.extent)
            let slot = Int64(self.slots.assign(block.offset / extent))
            try block.bytes.withUnsafeBytes { (bytes) throws(RingDiskError) in
                try disk.write(bytes, at: slot * extent + block.offset % extent)
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

    /// Stops using the disk, and drops all bytes on it.
    mutating func diskFailed(_ error: RingDiskError) {
        guard !self.isClosed else { return }
        if self.trouble == nil { self.trouble = error.message }
        self.disk = .none
        self.slots = RingSlots()
        self.index.drop(to: self.memory.start)
    }

    private mutating func release() {
        self.slots.release(before: self.index.oldest / Int64(self.index.geometry.extent))
    }

    /// Ends the ring: it keeps nothing, and readers get nothing more.
    mutating func close() {
        self.isClosed = true
        self.disk = .none
        self.memory.removeAll()
    }

    // MARK: Output

    /// The next step of a reader.
    mutating func next(_ cursor: inout RingCursor, limit: Int) -> Step {
        guard !self.isClosed else { return .nothing }
        if let stretch = cursor.stretch { return .piece(.stretch(cursor.tell(stretch))) }
        if cursor.offset < self.index.oldest {
            let joint = self.index.oldestJoint()
            let gap = max(.zero, joint.time - cursor.time)
            cursor.move(to: joint.begun(.fellBehind, gap: gap))
            return self.next(&cursor, limit: limit)
        }
        if cursor.awaitsStretch {
            guard self.index.end > cursor.offset else { return .nothing }
            self.arrive(&cursor)
            if cursor.stretch != nil { return self.next(&cursor, limit: limit) }
        }
        let serial = cursor.serial
        let next = self.index.firstEvent { $0.serial >= serial }
        var stop = self.index.end
        if next < self.index.events.count {
            let event = self.index.events[next]
            guard event.offset > cursor.offset else {
                cursor.serial = event.serial + 1
                switch event.kind {
                case .stretch(let stretch): return .piece(.stretch(cursor.tell(stretch)))
                case .metadata(let metadata): return .piece(.metadata(metadata))
                // A reader of bytes parses them itself.
                case .sign: return self.next(&cursor, limit: limit)
                }
            }
            stop = event.offset
        }
        let count = Int(min(Int64(max(1, limit)), stop - cursor.offset))
        guard count > 0 else { return .nothing }
        switch self.find(cursor.offset, count) {
        case .memory(let bytes): return .piece(self.given(bytes, &cursor))
        case .disk(let disk, let position, let count):
            return .disk(disk, position: position, count: count)
        case .nothing: return .nothing
        }
    }

    /// New sound has arrived for a waiting reader.
    ///
    /// The sound begins with a stretch, which is made here if the stream simply continues.
    func arrive(_ cursor: inout RingCursor) {
        cursor.awaitsStretch = false
        guard !self.index.hasStretch(at: cursor) else { return }
        let time = self.index.time(at: cursor.offset) ?? cursor.time
        cursor.move(to: self.index.joint(forTime: time).begun(.moved))
    }

    /// The place of kept bytes.
    ///
    /// - Parameters:
    ///   - offset: the first byte.
    ///   - count: how many bytes are wanted.
    /// - Returns: the place of the first of them, as many as are contiguous.
    mutating func find(_ offset: Int64, _ count: Int) -> Place {
        if offset >= self.memory.start {
            let bytes = self.memory.bytes(at: offset, limit: count)
            return bytes.isEmpty ? .nothing : .memory(bytes)
        }
        guard offset >= self.index.oldest else { return .nothing }
        let extent = Int64(self.index.geometry.extent)
        guard case .used(let disk) = self.disk,
            let slot = self.slots.slot(of: offset / extent)
        else {
            // Unreachable: kept bytes are in memory or on disk. If it happens, the reader skips to the oldest byte
            // in memory.
            self.index.drop(to: self.memory.start)
            return .nothing
        }
        let rest = min(extent - offset % extent, self.memory.start - offset)
        let position = Int64(slot) * extent + offset % extent
        return .disk(disk, position: position, count: Int(min(Int64(count), rest)))
    }

    /// Moves a reader behind bytes from disk, unless they were dropped meanwhile.
    ///
    /// - Returns: `nil` if the bytes were dropped during the read: other bytes may have replaced them.
    mutating func took(_ bytes: ByteMemory, _ cursor: inout RingCursor) -> StationPiece? {
        guard !self.isClosed, cursor.offset >= self.index.oldest else { return nil }
        return self.given(bytes, &cursor)
    }

    private func given(_ bytes: ByteMemory, _ cursor: inout RingCursor) -> StationPiece {
        cursor.offset += Int64(bytes.count)
        cursor.time = self.index.time(at: cursor.offset) ?? cursor.time
        return .audio(bytes)
    }
}
