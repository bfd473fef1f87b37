// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite struct TimeShiftRingTests {
    static let geometry = RingGeometry(block: 16, extent: 64, memory: 32)

    static func ring(
        _ disk: ScriptedDisk = ScriptedDisk(),
        duration: Duration = .seconds(1800),
        byteCount: Int64 = 1 << 20,
        geometry: RingGeometry = Self.geometry
    ) -> TimeShiftRing {
        TimeShiftRing(
            limits: TimeShiftLimits(duration: duration, byteCount: byteCount),
            geometry: geometry
        ) { () throws(RingDiskError) in disk }
    }

    static func stretch(_ container: AudioContainer? = .mpegAudio) -> StreamStretch {
        StreamStretch(cause: .joined, info: RingModel.info(1), container: container)
    }

    static func fill(_ ring: TimeShiftRing, to end: Int64, chunk: Int64 = 10) {
        while ring.end < end {
            let next = min(end, ring.end + chunk)
            ring.append(ByteMemory(RingModel.bytes(ring.end..<next)))
        }
    }

    /// All pieces that a reader can read now.
    static func drain(_ ring: TimeShiftRing, _ cursor: inout RingCursor) -> [StationPiece] {
        var pieces: [StationPiece] = []
        while let piece = ring.read(at: &cursor, limit: 1000) { pieces.append(piece) }
        return pieces
    }

    static func bytes(_ pieces: [StationPiece]) -> [UInt8] {
        pieces.reduce(into: []) { if case .audio(let bytes) = $1 { $0 += bytes.array } }
    }

    @Test("A reader may wait in a ring without a connection, and gets the first stretch unchanged")
    func empty() throws {
        let ring = Self.ring()
        var cursor = ring.joint(forTime: .zero)
        #expect(ring.read(at: &cursor, limit: 10) == nil)
        #expect(ring.time(at: 0) == nil)
        ring.begin(Self.stretch())
        Self.fill(ring, to: 20)
        let pieces = Self.drain(ring, &cursor)
        guard case .stretch(let stretch)? = pieces.first else { return #expect(Bool(false)) }
        #expect(stretch.offset == 0)
        #expect(Self.bytes(pieces) == RingModel.bytes(0..<20))
    }

    @Test(
        "All bytes are read, whatever the sizes of the pieces, from memory and from disk",
        arguments: 1...40
    )
    func everySplit(chunk: Int) {
        let disk = ScriptedDisk()
        let ring = Self.ring(disk)
        ring.begin(Self.stretch())
        Self.fill(ring, to: 333, chunk: Int64(chunk))
        for limit in [1, 7, 16, 63, 64, 65, 1000] {
            var cursor = RingCursor(offset: 0, serial: 1, time: .zero)
            var bytes: [UInt8] = []
            while case .audio(let piece)? = ring.read(at: &cursor, limit: limit) {
                bytes += piece.array
            }
            #expect(bytes == RingModel.bytes(0..<333))
        }
        #expect(disk.readCount > 0)
    }

    @Test("A listener at the live end never reads the disk")
    func live() {
        let disk = ScriptedDisk()
        let ring = Self.ring(disk)
        ring.begin(Self.stretch())
        var cursor = ring.joint(forTime: .zero)
        for end in stride(from: Int64(20), through: 2000, by: 20) {
            Self.fill(ring, to: end, chunk: 20)
            _ = Self.drain(ring, &cursor)
        }
        #expect(disk.readCount == 0)
        #expect(disk.writeCount > 100)
    }

    @Test("A title comes before its byte, and a repeated title comes once")
    func titles() {
        let ring = Self.ring()
        ring.begin(Self.stretch())
        var cursor = ring.joint(forTime: .zero)
        Self.fill(ring, to: 30)
        ring.note(RingModel.metadata("A"), at: 30)
        Self.fill(ring, to: 50)
        ring.note(RingModel.metadata("A"), at: 50)
        ring.note(RingModel.metadata("B"), at: 50)
        Self.fill(ring, to: 60)
        var offset: Int64 = 0
        var told: [String] = []
        for piece in Self.drain(ring, &cursor) {
            switch piece {
            case .audio(let bytes): offset += Int64(bytes.count)
            case .metadata(let metadata):
                #expect(metadata.audioOffset == offset)
                told.append("\(metadata.title ?? "") \(offset)")
            case .stretch: break
            }
        }
        #expect(told == ["A 30", "B 50"])
        // The ring reports title B again, because the new connection has had no title yet.
        ring.begin(Self.stretch())
        ring.note(RingModel.metadata("B"), at: 60)
        let more = Self.drain(ring, &cursor)
        #expect(more.count == 2)
    }

    @Test(
        "A listener that joins in the middle gets the connection, the title and the header of that place"
    )
    func joining() throws {
        let ring = Self.ring()
        ring.begin(Self.stretch(.flac))
        Self.fill(ring, to: 40)
        let head = ByteMemory(RingModel.bytes(0..<24))
        ring.beginLink(container: .flac, head: head, headOffset: 0)
        for second in 0..<20 {
            ring.note(time: .seconds(second), at: ring.end)
            if second == 5 { ring.note(RingModel.metadata("A"), at: ring.end) }
            Self.fill(ring, to: ring.end + 30)
        }
        let joint = ring.joint(forTime: .milliseconds(7500))
        #expect(joint.time == .seconds(7))
        let stretch = try #require(joint.stretch)
        #expect(stretch.offset == 40 + 7 * 30)
        #expect(stretch.head == head)
        #expect(stretch.headOffset == 0)
        #expect(stretch.metadata?.title == "A")
        #expect(stretch.container == .flac)
        #expect(ring.joint(forTime: .milliseconds(4999)).stretch?.metadata == nil)
        #expect(ring.joint(forTime: .seconds(99)).time == .seconds(19))
        #expect(ring.joint(forTime: .seconds(-9)).time == .zero)
        #expect(ring.time(at: 40 + 7 * 30 + 15) == .milliseconds(7500))
        #expect(ring.time(at: 0) == .zero)
        #expect(ring.time(at: .max) == .seconds(19))
    }

    @Test("The newest time joins a connection without packets yet at its first byte")
    func untimed() {
        let ring = Self.ring()
        ring.begin(Self.stretch())
        ring.note(time: .zero, at: 0)
        Self.fill(ring, to: 50)
        ring.note(time: .seconds(1), at: 40)
        ring.begin(Self.stretch())
        Self.fill(ring, to: 60)
        #expect(ring.joint(forTime: .seconds(1)).offset == 50)
        #expect(ring.joint(forTime: .milliseconds(999)).offset == 0)
    }

    @Test(
        "Places to join are at least a quarter of a second apart; a connection's first packet is always a place"
    )
    func thinning() {
        let ring = Self.ring()
        ring.begin(Self.stretch())
        for step in 0..<100 {
            ring.note(time: .milliseconds(26 * step), at: ring.end)
            Self.fill(ring, to: ring.end + 5)
        }
        var places: Set<Int64> = []
        for step in 0..<2600 { places.insert(ring.joint(forTime: .milliseconds(step)).offset) }
        #expect(places.count == 10)
        ring.begin(Self.stretch())
        ring.note(time: .milliseconds(2601), at: ring.end)
        #expect(ring.joint(forTime: .milliseconds(2601)).offset == 500)
    }

    @Test("The place for any time is the last packet at or before it, or else the first")
    func everyFewPackets() {
        for mask in 1..<256 {
            let times = (0..<8).filter { mask & 1 << $0 != 0 }
            let ring = Self.ring()
            ring.begin(Self.stretch())
            for time in times {
                Self.fill(ring, to: Int64(time * 3))
                ring.note(time: .seconds(time), at: Int64(time * 3))
            }
            Self.fill(ring, to: 24)
            for time in -1...9 {
                let nearest = times.last { $0 <= time } ?? times[0]
                let joint = ring.joint(forTime: .seconds(time))
                #expect(joint.offset == Int64(nearest * 3) && joint.time == .seconds(nearest))
            }
            for offset in Int64(0)...24 {
                let clamped = min(max(offset, Int64(times[0] * 3)), Int64((times.last ?? 0) * 3))
                let wanted = Duration.seconds(1) * Double(clamped) / 3
                let difference = (ring.time(at: offset) ?? .zero) - wanted
                #expect(difference < .microseconds(1) && difference > .microseconds(-1))
            }
        }
    }

    @Test("Old sound is dropped by whole extents, by time and by bytes")
    func dropping() {
        let byTime = Self.ring(duration: .seconds(10))
        byTime.begin(Self.stretch())
        for second in 0..<60 {
            byTime.note(time: .seconds(second), at: byTime.end)
            Self.fill(byTime, to: byTime.end + 32)
        }
        // 10 s are 320 bytes; the extent that contains their first byte stays.
        #expect(byTime.oldest % 64 == 0)
        #expect(byTime.newestTime - byTime.oldestTime >= .seconds(10))
        #expect(byTime.newestTime - byTime.oldestTime < .seconds(13))
        let byCount = Self.ring(byteCount: 200)
        byCount.begin(Self.stretch())
        Self.fill(byCount, to: 10_000)
        #expect(byCount.end - byCount.oldest <= 200)
    }

    @Test(
        "A reader that falls behind continues at the oldest place, and gets the duration of the loss"
    )
    func fallingBehind() throws {
        let ring = Self.ring(duration: .seconds(10))
        ring.begin(Self.stretch())
        var cursor = ring.joint(forTime: .zero)
        for second in 0..<60 {
            ring.note(time: .seconds(second), at: ring.end)
            Self.fill(ring, to: ring.end + 32)
            if second == 5 { _ = Self.drain(ring, &cursor) }
        }
        guard case .stretch(let stretch)? = ring.read(at: &cursor, limit: 10) else {
            return #expect(Bool(false))
        }
        #expect(stretch.cause == .fellBehind)
        #expect(stretch.offset >= ring.oldest)
        #expect(stretch.gap == ring.oldestTime - .seconds(5))
        let rest = Self.bytes(Self.drain(ring, &cursor))
        #expect(rest == RingModel.bytes(stretch.offset..<ring.end))
    }

    @Test("A closed ring keeps and gives nothing")
    func closing() {
        let ring = Self.ring()
        ring.begin(Self.stretch())
        Self.fill(ring, to: 500)
        var cursor = ring.joint(forTime: .zero)
        ring.close()
        #expect(ring.read(at: &cursor, limit: 10) == nil)
        ring.append(ByteMemory([1]))
        #expect(ring.end == 500)
    }

    @Test("The state is bounded, whatever a station sends")
    func bounds() {
        var state = RingState(
            limits: TimeShiftLimits(duration: .zero, byteCount: 1 << 30),
            geometry: RingGeometry()
        ) { () throws(RingDiskError) in ScriptedDisk() }
        let text = String(repeating: "x", count: 4000)
        state.begin(Self.stretch(.ogg))
        for number in 0..<60_000 {
            state.append(ByteMemory([0]))
            state.note(
                RingModel.metadata("\(number) \(number % 16 == 0 ? text : "")"),
                at: state.end
            )
            state.note(time: .seconds(number), at: state.end)
            if number % 10 == 0 {
                let head = ByteMemory([UInt8](repeating: 1, count: 50_000))
                state.beginLink(container: .flac, head: head, headOffset: state.end)
            }
            if number % 7 == 0 { state.begin(Self.stretch(.ogg)) }
        }
        #expect(state.events.count <= state.geometry.events)
        #expect(state.eventByteCount <= state.geometry.eventBytes)
        #expect(state.headByteCount <= state.geometry.headBytes)
        #expect(state.headByteCount == state.links.reduce(0) { $0 + $1.head.count })
        #expect(state.eventByteCount == state.events.reduce(0) { $0 + $1.byteCount })
        #expect(state.marks.count <= state.geometry.marks)
        #expect(state.oldest > 0)
    }
}
