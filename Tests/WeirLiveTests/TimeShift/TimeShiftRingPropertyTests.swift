// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

/// Whatever is written, dropped and read, a reader gets the right bytes and events.
@Suite struct TimeShiftRingPropertyTests {
    /// A reader, and its position in the model.
    struct Reader {
        var cursor: RingCursor
        var offset: Int64 = 0
        var next = 0
    }

    @Test(
        "Readers of a ring get the same as readers of a model in an array",
        arguments: UInt64(1)...60
    )
    func model(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let geometry = RingGeometry(
            block: 16,
            extent: 64,
            memory: 48,
            markDistance: .milliseconds(250),
            events: 24,
            eventBytes: 8 << 10,
            links: 5,
            headBytes: 200,
            marks: 40
        )
        let most: Int64 = Bool.random(using: &generator) ? 400 : 2000
        let disk = ScriptedDisk(byteCount: seed % 5 == 0 ? 256 : .max)
        let ring = TimeShiftRing(
            limits: TimeShiftLimits(duration: .seconds(8), byteCount: most),
            geometry: geometry
        ) { () throws(RingDiskError) in disk }
        var model = RingModel()
        var readers: [Reader] = []
        Self.begin(ring, &model)
        for _ in 0..<1500 {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<40: Self.append(ring, &model, &generator)
            case 40..<44: Self.begin(ring, &model)
            case 44..<48: Self.link(ring, &model, &generator)
            case 48..<58:
                let title = "\(Int.random(in: 0..<3, using: &generator))"
                ring.note(RingModel.metadata(title), at: ring.end)
                if model.lastTitle != title { model.events.append((model.end, .metadata(title))) }
                model.lastTitle = title
            case 58..<72:
                model.time += .milliseconds(Int.random(in: 0..<400, using: &generator))
                ring.note(time: model.time, at: ring.end)
            case 72..<76:
                let span = Int.random(in: -1000...12_000, using: &generator)
                let joint = ring.joint(forTime: model.time - .milliseconds(span))
                try #require(joint.offset >= ring.oldest && joint.offset <= ring.end)
                if readers.count == 4 { readers.removeFirst() }
                readers.append(Reader(cursor: joint))
            default:
                guard !readers.isEmpty else { continue }
                let index = Int.random(in: 0..<readers.count, using: &generator)
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    let limit = Int.random(in: 1...90, using: &generator)
                    guard try Self.read(ring, &readers[index], model, limit) else { break }
                }
            }
            try #require(ring.end == model.end)
            try #require(ring.end - ring.oldest <= most + Int64(geometry.extent))
        }
        #expect(disk.byteCount <= Int(most) + 3 * geometry.extent)
        #expect((ring.diskTrouble != nil) == (seed % 5 == 0))
    }

    private static func append(
        _ ring: TimeShiftRing,
        _ model: inout RingModel,
        _ generator: inout SeededGenerator
    ) {
        let count = Int64.random(in: 0...70, using: &generator)
        ring.append(ByteMemory(RingModel.bytes(model.end..<model.end + count)))
        model.end += count
    }

    private static func begin(_ ring: TimeShiftRing, _ model: inout RingModel) {
        model.connections += 1
        ring.begin(
            StreamStretch(
                cause: .reconnected(nil),
                info: RingModel.info(model.connections),
                container: .mpegAudio
            )
        )
        model.events.append((model.end, .stretch(model.connections)))
        model.lastTitle = nil
    }

    private static func link(
        _ ring: TimeShiftRing,
        _ model: inout RingModel,
        _ generator: inout SeededGenerator
    ) {
        let start = model.events.last { if case .stretch = $0.event { true } else { false } }?
            .offset
        guard let start else { return }
        let least = max(start, model.links.last?.offset ?? 0, ring.oldest)
        guard least < model.end else { return }
        let offset = Int64.random(in: least..<model.end, using: &generator)
        let head = RingModel.bytes(offset..<min(model.end, offset + 40))
        ring.beginLink(container: .flac, head: ByteMemory(head), headOffset: offset)
        model.links.removeAll { $0.offset == offset }
        model.links.append((offset, head))
    }

    /// Reads once, and compares.
    ///
    /// - Returns: whether there was a piece to read.
    private static func read(
        _ ring: TimeShiftRing,
        _ reader: inout Reader,
        _ model: RingModel,
        _ limit: Int
    ) throws -> Bool {
        guard let piece = ring.read(at: &reader.cursor, limit: limit) else {
            // The ring returns no piece only to a reader that has read everything.
            try #require(reader.offset == model.end)
            try #require(reader.next == model.events.count)
            return false
        }
        switch piece {
        case .audio(let bytes):
            try #require(bytes.count > 0 && bytes.count <= limit)
            let range = reader.offset..<reader.offset + Int64(bytes.count)
            let isRight = bytes.array == RingModel.bytes(range)
            try #require(isRight)
            reader.offset = range.upperBound
            // The reader skipped no event.
            if reader.next < model.events.count {
                try #require(model.events[reader.next].offset >= reader.offset)
            }
        case .metadata(let metadata):
            let event = model.events[reader.next]
            try #require(event.event == .metadata(metadata.title ?? "?"))
            try #require(metadata.audioOffset == event.offset)
            reader.next += 1
        case .stretch(let stretch) where stretch.cause == .reconnected(nil):
            try #require(
                model.events[reader.next].event == .stretch(Int(stretch.info.display) ?? -1)
            )
            try #require(model.events[reader.next].offset == stretch.offset)
            reader.next += 1
        case .stretch(let stretch): try Self.join(stretch, &reader, model)
        }
        return true
    }

    /// Checks a stretch that the ring made for a reader that joins in the middle.
    private static func join(
        _ stretch: StreamStretch,
        _ reader: inout Reader,
        _ model: RingModel
    ) throws {
        reader.offset = stretch.offset
        reader.next = Int(reader.cursor.serial)
        var connection = 0
        var start: Int64 = 0
        var title: String?
        for (offset, event) in model.events[..<reader.next] {
            try #require(offset <= stretch.offset)
            switch event {
            case .stretch(let number): (connection, start, title) = (number, offset, nil)
            case .metadata(let text): title = text
            }
        }
        try #require(stretch.info.display == "\(connection)")
        try #require(stretch.metadata?.title == title)
        guard !stretch.head.isEmpty else { return }
        let link = try #require(model.links.last { $0.offset == stretch.headOffset })
        try #require(stretch.head.array == link.head)
        try #require(link.offset >= start && link.offset + Int64(link.head.count) <= stretch.offset)
    }
}
