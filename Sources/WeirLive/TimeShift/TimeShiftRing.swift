// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio

/// The last half hour of a station: its bytes without titles, and the joints in them.
///
/// There is one writer and any number of readers, each at its own position. Offsets count the bytes
/// of all connections and only grow. The newest mebibyte is in memory, so that a live listener
/// never waits for a disk. Older bytes are in one file without a name. If the disk fails or is
/// full, the ring stays in memory: no listener gets an error (``diskTrouble``).
///
/// A **joint** is a position where a packet starts. In Ogg it is the start of a page in which a
/// packet starts, behind the headers of its logical stream; the stretch contains these headers. A
/// reader whose bytes were dropped continues at the oldest kept joint, with a stretch of cause
/// `fellBehind`. The ring never waits, except for the disk when it reads old bytes.
final class TimeShiftRing: Sendable {
    private let state: Mutex<RingState>

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - limits: how much is kept.
    ///   - folder: the folder of the file for the bytes that memory cannot hold; `nil`: the folder
    ///     for temporary files.
    convenience init(limits: TimeShiftLimits, folder: String? = nil) {
        self.init(limits: limits, geometry: RingGeometry()) { () throws(RingDiskError) in
            try UnlinkedFile(in: folder)
        }
    }

    /// An empty ring with another disk and other portions.
    init(
        limits: TimeShiftLimits,
        geometry: RingGeometry,
        disk: @escaping @Sendable () throws(RingDiskError) -> any RingDisk
    ) {
        self.state = Mutex(RingState(limits: limits, geometry: geometry, disk: disk))
    }

    // MARK: Writing

    /// Begins a connection, whose bytes are appended next; the ring sets the offset of the stretch.
    func begin(_ stretch: StreamStretch) {
        self.change { $0.begin(stretch) }
    }

    /// Begins a logical stream: sets the container of the current connection, and its header if it
    /// has one.
    ///
    /// - Parameters:
    ///   - container: the container.
    ///   - head: the header pages of an Ogg stream, or the metadata of a FLAC stream; a later
    ///     reader gets it first. Empty for streams whose frames need no header.
    ///   - headOffset: the offset at which the logical stream begins, with its header.
    func beginLink(container: AudioContainer, head: ByteMemory, headOffset: Int64) {
        self.change {
            $0.beginLink(container: container, head: head, headOffset: headOffset)
        }
    }

    /// Appends the next bytes of sound, which are copied.
    func append(_ bytes: ByteMemory) {
        self.change { $0.append(bytes) }
    }

    /// Notes a packet whose bytes were appended already.
    ///
    /// - Parameters:
    ///   - packet: its time is on the station's own time line, without gaps, over all connections;
    ///     a time that goes back is ignored.
    ///   - parts: the ranges of the packet's parts after the first.
    func note(_ packet: RingPacket, parts: [Range<Int64>]) {
        self.change { $0.note(packet, parts: parts) }
    }

    /// Notes a sign before the next packet.
    func note(_ sign: StreamSign) {
        self.change { $0.note(sign) }
    }

    /// Notes the station's metadata; repetitions are ignored.
    ///
    /// - Parameters:
    ///   - metadata: the metadata; the ring sets its `audioOffset`.
    ///   - offset: the offset of the byte that follows it, mostly ``end``.
    func note(_ metadata: ICYMetadata, at offset: Int64) {
        self.change { $0.note(metadata, at: offset) }
    }

    /// Ends the ring: it keeps nothing, ignores new bytes, and readers get nothing.
    func close() {
        self.state.withLock { $0.close() }
    }

    // MARK: Reading

    /// The offset of the next byte.
    var end: Int64 { self.state.withLock { $0.end } }
    /// The number of the next packet.
    var endPacket: Int64 { self.state.withLock { $0.packets.end } }
    /// The first kept byte.
    var oldest: Int64 { self.state.withLock { $0.oldest } }
    /// The time of the oldest joint; without a joint, the time at which the newest packet starts.
    var oldestTime: Duration { self.state.withLock { $0.oldestTime } }
    /// Why the ring no longer uses the disk: one sentence; `nil` while it can.
    var diskTrouble: String? { self.state.withLock { $0.store.trouble } }

    /// The time of the byte at an offset, interpolated between the packets around it.
    ///
    /// - Returns: at an end of the ring, the time of that end; `nil` if no packet was noted yet.
    func time(at offset: Int64) -> Duration? {
        self.state.withLock { $0.time(at: offset) }
    }

    /// The nearest joint at or before a time: the oldest if all are later, the newest if all are
    /// earlier.
    ///
    /// A connection without a packet yet is newer than all packets before it. A reader joins it at
    /// its first byte.
    func joint(forTime time: Duration) -> RingCursor {
        self.state.withLock { $0.joint(forTime: time) }
    }

    /// The next piece for a reader, in order; its stretch comes first.
    ///
    /// - Parameters:
    ///   - cursor: the reader's position; it moves on.
    ///   - limit: how many bytes at most.
    /// - Returns: `nil` at the live end, and after ``close()``.
    func read(at cursor: inout RingCursor, limit: Int) -> StationPiece? {
        while true {
            switch self.state.withLock({ $0.next(&cursor, limit: limit) }) {
            case .piece(let piece): return piece
            case .nothing: return nil
            case .distant(let offset, let count):
                guard let bytes = self.piece(at: offset, limit: count) else { continue }
                if let piece = self.state.withLock({ $0.took(bytes, &cursor) }) { return piece }
            }
        }
    }

    /// Contiguous bytes from an offset on, regardless of the events between them.
    ///
    /// - Returns: `nil` if the first of them is not kept. If bytes from disk were dropped during
    ///   the read, other bytes may have replaced them: the caller must check that.
    func piece(at offset: Int64, limit: Int) -> ByteMemory? {
        while true {
            switch self.state.withLock({ $0.find(offset, limit) }) {
            case .memory(let bytes): return bytes
            case .nothing: return nil
            case .disk(let disk, let position, let count):
                if let bytes = self.load(disk, position, count) { return bytes }
            }
        }
    }

    /// Reads from disk without the lock, so that live listeners do not wait.
    ///
    /// - Returns: `nil` if the disk failed; the ring then no longer uses it.
    private func load(_ disk: any RingDisk, _ position: Int64, _ count: Int) -> ByteMemory? {
        let block = RingBlock(capacity: count)
        do throws(RingDiskError) {
            try block.fill { (room) throws(RingDiskError) in
                try disk.read(into: room, at: position)
                return room.count
            }
        } catch {
            self.state.withLock { $0.diskFailed(error) }
            return nil
        }
        return block.view(0..<block.filled)
    }

    private func change(_ change: (inout RingState) -> Void) {
        self.state.withLock { if !$0.isClosed { change(&$0) } }
    }

    /// Reads or changes the state under the lock.
    func withState<Result>(_ body: (inout sending RingState) -> sending Result) -> sending Result {
        self.state.withLock(body)
    }
}

/// How much of a station's past is kept.
struct TimeShiftLimits: Hashable, Sendable {
    /// How far back a reader can go at least, within the other limit; zero or less: no disk is
    /// used.
    var duration: Duration
    /// How many bytes are kept at most, in memory and on disk together.
    var byteCount: Int64
}
