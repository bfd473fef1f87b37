// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio

/// The last half hour of a station: its bytes without titles, and where one can join them.
///
/// One writes, any number read, each at its own place. Offsets count the bytes of all connections and only grow. The
/// newest mebibyte is in memory, so that a live listener never waits for a disk; what is older lies in one file
/// without a name. A disk that fails or is full makes it a ring in memory: no listener gets an error (``diskTrouble``).
///
/// **Joining** is where a packet starts, in Ogg where a page starts in which a packet starts, behind the headers of
/// its logical stream, which the stretch brings. A reader of dropped bytes goes on at the oldest kept joint,
/// with a stretch that says so. Nothing here waits, but for the disk where old bytes are read.
final class TimeShiftRing: Sendable {
    private let state: Mutex<RingState>

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - limits: how much is kept.
    ///   - folder: where the file is made once there is more than stays in memory; `nil`: where temporary files are.
    convenience init(limits: TimeShiftLimits, folder: String? = nil) {
        self.init(limits: limits, geometry: RingGeometry()) { () throws(RingDiskError) in
            try UnlinkedFile(in: folder)
        }
    }

    /// An empty ring with another disk, in other portions.
    init(
        limits: TimeShiftLimits,
        geometry: RingGeometry,
        disk: @escaping @Sendable () throws(RingDiskError) -> any RingDisk
    ) {
        self.state = Mutex(RingState(limits: limits, geometry: geometry, disk: disk))
    }

    // MARK: Writing

    /// A new connection: what is appended next is its first; the ring sets where the stretch lies.
    func begin(_ stretch: StreamStretch) {
        self.state.withLock { $0.change { $0.begin(stretch) } }
    }

    /// The container of the present connection is known, and where one joins it with a header, that.
    ///
    /// - Parameters:
    ///   - container: what it is.
    ///   - head: the header: the header pages of an Ogg stream, the metadata of a FLAC stream; a later reader gets it
    ///     first. Empty where frames stand for themselves.
    ///   - headOffset: where the header begins, that is, the logical stream.
    func beginLink(container: AudioContainer, head: ByteMemory, headOffset: Int64) {
        self.state.withLock {
            $0.change { $0.beginLink(container: container, head: head, headOffset: headOffset) }
        }
    }

    /// The next bytes of sound, which are copied.
    func append(_ bytes: ByteMemory) {
        self.state.withLock { $0.append(bytes) }
    }

    /// When a packet starts.
    ///
    /// - Parameters:
    ///   - time: on a time line of the station's own, without gaps, over all connections; one that goes back does not
    ///     count.
    ///   - offset: the packet's, which was appended already; in Ogg too: the page is found here.
    func note(time: Duration, at offset: Int64) {
        self.state.withLock { $0.change { $0.note(time: time, at: offset) } }
    }

    /// A packet was found, whose bytes were appended already.
    ///
    /// - Parameters:
    ///   - packet: with a time on a time line of the station's own, without gaps, over all connections; one that goes
    ///     back does not count.
    ///   - parts: where the bytes lie that do not lie in a row with its first.
    func note(_ packet: RingPacket, parts: [Range<Int64>]) {
        self.state.withLock { $0.change { $0.note(packet, parts: parts) } }
    }

    /// Something was found before the next packet.
    func note(_ sign: StreamSign) {
        self.state.withLock { $0.change { $0.note(sign) } }
    }

    /// The station says something; what it repeats is not told again.
    ///
    /// - Parameters:
    ///   - metadata: what it says; its `audioOffset` is set here.
    ///   - offset: which byte it stands before, ``end`` mostly.
    func note(_ metadata: ICYMetadata, at offset: Int64) {
        self.state.withLock { $0.change { $0.note(metadata, at: offset) } }
    }

    /// Ends the ring: nothing is kept any more, what comes is passed over, and readers get nothing.
    func close() {
        self.state.withLock { $0.close() }
    }

    // MARK: Reading

    /// Where the next byte goes.
    var end: Int64 { self.state.withLock { $0.index.end } }
    /// The number that the next packet gets.
    var endPacket: Int64 { self.state.withLock { $0.index.packets.end } }
    /// The first byte that is kept.
    var oldest: Int64 { self.state.withLock { $0.index.oldest } }
    /// When the newest packet starts.
    var newestTime: Duration { self.state.withLock { $0.index.newestTime } }
    /// When the oldest place to join sounds; with none, ``newestTime``.
    var oldestTime: Duration { self.state.withLock { $0.index.oldestTime } }
    /// Why nothing is kept on disk any more: one sentence; `nil` while there is no reason.
    var diskTrouble: String? { self.state.withLock { $0.trouble } }

    /// When the byte at an offset sounds, in proportion between the packets around it.
    ///
    /// - Returns: at an end, the time of that end; `nil` if no packet was noted yet.
    func time(at offset: Int64) -> Duration? {
        self.state.withLock { $0.index.time(at: offset) }
    }

    /// The nearest place to join at or before a time: the oldest if all are later, the newest if all are earlier.
    ///
    /// A connection that has shown no packet yet is newer than all packets before it, and joined at its first byte.
    func joint(forTime time: Duration) -> RingCursor {
        self.state.withLock { $0.index.joint(forTime: time) }
    }

    /// What comes next for a reader: first its stretch, then all in order.
    ///
    /// - Parameters:
    ///   - cursor: how far the reader is; moves on.
    ///   - limit: how many bytes at most.
    /// - Returns: `nil` at the live end, and after ``close()``.
    func read(at cursor: inout RingCursor, limit: Int) -> StationPiece? {
        while true {
            switch self.state.withLock({ $0.next(&cursor, limit: limit) }) {
            case .piece(let piece): return piece
            case .nothing: return nil
            case .disk(let disk, let position, let count):
                guard let bytes = self.load(disk, position, count) else { continue }
                if let piece = self.state.withLock({ $0.took(bytes, &cursor) }) { return piece }
            }
        }
    }

    /// Bytes from an offset on, as many as lie in one piece, whatever stands between them.
    ///
    /// - Returns: `nil` if the first of them is not kept. What was read from disk may have been dropped meanwhile.
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

    /// Reads from disk, without the lock, so that live listeners do not wait.
    ///
    /// - Returns: `nil` if the disk failed, which is then used no more.
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

    /// Asks, or changes, what is known.
    func withState<Result>(_ body: (inout sending RingState) -> sending Result) -> sending Result {
        self.state.withLock(body)
    }
}

/// How much of a station's past is kept.
struct TimeShiftLimits: Hashable, Sendable {
    /// How far back one can go at least, as far as the other limits allow; zero or less: nothing is kept on disk.
    var duration: Duration
    /// How many bytes are kept at most, in memory and on disk together.
    var byteCount: Int64
}
