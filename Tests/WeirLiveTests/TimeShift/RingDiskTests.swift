// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

/// A disk that fails costs the past sound, and nothing else.
@Suite struct RingDiskTests {
    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test(
        "A full disk leaves a ring in memory, and the ring gives the reason",
        arguments: [0, 16, 100, 256]
    )
    func full(byteCount: Int) throws {
        let ring = TimeShiftRingTests.ring(ScriptedDisk(byteCount: byteCount))
        ring.begin(TimeShiftRingTests.stretch())
        var live = ring.joint(forTime: .zero)
        let late = ring.joint(forTime: .zero)
        var heard: [UInt8] = []
        for end in stride(from: Int64(10), through: 1000, by: 10) {
            TimeShiftRingTests.fill(ring, to: end)
            heard += TimeShiftRingTests.bytes(TimeShiftRingTests.drain(ring, &live))
        }
        #expect(heard == RingModel.bytes(0..<1000))
        #expect(ring.diskTrouble == "full")
        #expect(ring.end - ring.oldest <= 48)
        var cursor = late
        let pieces = TimeShiftRingTests.drain(ring, &cursor)
        #expect(
            pieces.contains {
                if case .stretch(let stretch) = $0 { stretch.cause == .fellBehind } else { false }
            }
        )
        #expect(TimeShiftRingTests.bytes(pieces) == RingModel.bytes(ring.oldest..<1000))
    }

    @Test("A disk that cannot be read makes its reader fall behind, once")
    func unreadable() {
        let disk = ScriptedDisk()
        let ring = TimeShiftRingTests.ring(disk)
        ring.begin(TimeShiftRingTests.stretch())
        var cursor = ring.joint(forTime: .zero)
        TimeShiftRingTests.fill(ring, to: 500)
        disk.failReads()
        let pieces = TimeShiftRingTests.drain(ring, &cursor)
        let count = pieces.count { if case .stretch = $0 { true } else { false } }
        #expect(count == 2)
        #expect(ring.diskTrouble == "unreadable")
        #expect(TimeShiftRingTests.bytes(pieces) == RingModel.bytes(ring.oldest..<500))
    }

    @Test("A ring without a time shift uses no disk")
    func unwanted() {
        let disk = ScriptedDisk()
        let ring = TimeShiftRingTests.ring(disk, duration: .zero)
        ring.begin(TimeShiftRingTests.stretch())
        TimeShiftRingTests.fill(ring, to: 1000)
        #expect(disk.writeCount == 0)
        #expect(ring.diskTrouble == nil)
        #expect(ring.end - ring.oldest <= 48)
    }

    @Test("The file has no name, and only its owner can read it")
    func permissions() throws {
        let place = TemporaryDirectory()
        let folder = place.path(of: "new")
        let file = try UnlinkedFile(in: folder)
        #expect(try Self.mode(folder) == 0o700)
        #expect(file.mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        try ByteMemory(RingModel.bytes(0..<100)).withUnsafeBytes { (bytes) throws(RingDiskError) in
            try file.write(bytes, at: 50)
        }
        #expect(try Self.read(file, 60, at: 70) == RingModel.bytes(20..<80))
        // A read past the end of the file is an error.
        #expect(throws: RingDiskError.self) { try Self.read(file, 60, at: 120) }
    }

    private static func read(_ file: UnlinkedFile, _ count: Int, at position: Int64) throws
        -> [UInt8]
    {
        let block = RingBlock(capacity: count)
        try block.fill { (room) throws(RingDiskError) in
            try file.read(into: room, at: position)
            return room.count
        }
        return block.view(0..<block.filled).array
    }

    @Test(
        "The ring removes files that a crash left, and links by their own name, but no other file"
    )
    func leftovers() throws {
        let place = TemporaryDirectory()
        let files = FileManager.default
        let other = place.path(of: "song.ring")
        #expect(files.createFile(atPath: other, contents: Data([1])))
        #expect(
            files.createFile(
                atPath: place.path(of: ".weir-time-shift-abc.ring"),
                contents: Data([2])
            )
        )
        try files.createSymbolicLink(
            atPath: place.path(of: ".weir-time-shift-link.ring"),
            withDestinationPath: other
        )
        let file = try UnlinkedFile(in: place.path)
        #expect(try files.contentsOfDirectory(atPath: place.path) == ["song.ring"])
        #expect(files.contents(atPath: other) == Data([1]))
        withExtendedLifetime(file) {}
    }

    @Test("A folder that is gone or cannot be created costs only the time shift")
    func noFolder() throws {
        let place = TemporaryDirectory()
        let path = place.path(of: "file")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        for folder in ["\(path)/folder", path, place.path(of: "no/such/place")] {
            let ring = TimeShiftRing(
                limits: TimeShiftLimits(duration: .seconds(1800), byteCount: 1 << 30),
                folder: folder
            )
            ring.begin(TimeShiftRingTests.stretch())
            TimeShiftRingTests.fill(ring, to: 3 << 20, chunk: 100_000)
            #expect(ring.diskTrouble?.contains(folder) == true)
            #expect(ring.end - ring.oldest <= (1 << 20) + (64 << 10))
        }
    }

    @Test(
        "A ring of the usual size keeps its time shift on a real disk, even when the folder is removed"
    )
    func realDisk() throws {
        let place = TemporaryDirectory()
        let folder = place.path(of: "ring")
        let ring = TimeShiftRing(
            limits: TimeShiftLimits(duration: .seconds(1800), byteCount: 1 << 30),
            folder: folder
        )
        ring.begin(TimeShiftRingTests.stretch())
        var cursor = ring.joint(forTime: .zero)
        TimeShiftRingTests.fill(ring, to: 2 << 20, chunk: 50_000)
        try FileManager.default.removeItem(atPath: folder)
        TimeShiftRingTests.fill(ring, to: 5 << 20, chunk: 50_000)
        #expect(ring.diskTrouble == nil)
        #expect(ring.oldest == 0)
        var offset: Int64 = 0
        var isRight = true
        while let piece = ring.read(at: &cursor, limit: 70_000) {
            guard case .audio(let bytes) = piece else { continue }
            isRight = isRight && PatternBytes.firstDifference(in: bytes.array, at: offset) == nil
            offset += Int64(bytes.count)
        }
        #expect(isRight)
        #expect(offset == 5 << 20)
    }

    @Test("Slots of dropped extents are used again")
    func slots() {
        var slots = RingSlots()
        var most = 0
        for extent in Int64(0)..<1000 {
            most = max(most, slots.assign(extent))
            #expect(slots.assign(extent) == slots.slot(of: extent))
            slots.release(before: extent - 4)
        }
        #expect(most == 5)
        #expect(Set((996..<1000).compactMap { slots.slot(of: $0) }).count == 4)
    }
}
