// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

/// A ring that is written and read at once.
@Suite struct TimeShiftRingStressTests {
    /// Reads until the end of the broadcast, and returns whether every byte was right.
    private static func follow(
        _ ring: TimeShiftRing,
        from joint: RingCursor,
        limit: Int,
        until end: Int64
    ) async -> Bool {
        var cursor = joint
        var offset: Int64 = 0
        while offset < end {
            switch ring.read(at: &cursor, limit: limit) {
            case .audio(let bytes)?:
                if PatternBytes.firstDifference(in: bytes.array, at: offset) != nil { return false }
                offset += Int64(bytes.count)
            case .stretch(let stretch)?: offset = stretch.offset
            case .metadata?: break
            case nil: await Task.yield()
            }
        }
        return true
    }

    @Test("Readers at any pace get the right bytes while a writer writes and drops")
    func manyReaders() async {
        let end: Int64 = 60_000
        let ring = TimeShiftRing(
            limits: TimeShiftLimits(duration: .seconds(60), byteCount: 8000),
            geometry: RingGeometry(block: 256, extent: 1024, memory: 1024)
        ) { () throws(RingDiskError) in try UnlinkedFile(in: nil) }
        ring.begin(TimeShiftRingTests.stretch())
        let joint = ring.joint(forTime: .zero)
        let areRight = await withTaskGroup(of: Bool.self) { group in
            for limit in [17, 100, 5000, 20_000] {
                group.addTask { await Self.follow(ring, from: joint, limit: limit, until: end) }
            }
            group.addTask {
                while ring.end < end {
                    let next = min(end, ring.end + 333)
                    ring.append(ByteMemory(RingModel.bytes(ring.end..<next)))
                    ring.note(time: .milliseconds(ring.end / 10), at: ring.end)
                    _ = ring.joint(forTime: ring.newestTime - .seconds(1))
                    await Task.yield()
                }
                return true
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(areRight)
        #expect(ring.diskTrouble == nil)
    }
}
