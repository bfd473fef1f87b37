// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirPlayback

@Suite("Files whose index names more bytes than they have")
struct CutShortTests {
    /// An MP4 file of 8 kHz, 16 bits and one channel.
    private static func file(seconds: Int, present: Int) -> [UInt8] {
        func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
            let all = content.flatMap(\.self)
            return number(8 + all.count) + Array(name.utf8) + all
        }
        func movie(dataAt start: Int) -> [UInt8] {
            let sound = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] as [UInt8]
            let entry = box(
                "sowt",
                sound + number(1, 2) + number(16, 2) + number(0) + number(8000 << 16)
            )
            let tables = box(
                "stbl",
                box("stsd", number(0) + number(1) + entry),
                box("stts", [0, 1, seconds * 8000, 1].flatMap { number($0) }),
                box("stsc", [0, 1, 1, seconds * 8000, 1].flatMap { number($0) }),
                box("stsz", [0, 2, seconds * 8000].flatMap { number($0) }),
                box("stco", [0, 1, start].flatMap { number($0) })
            )
            let handler = number(0) + number(0) + Array("soun".utf8)
            let track = box(
                "trak",
                box("tkhd", [1, 0, 0, 1].flatMap { number($0) }, [UInt8](repeating: 0, count: 68)),
                box(
                    "mdia",
                    box("mdhd", [0, 0, 0, 8000, seconds * 8000, 0].flatMap { number($0) }),
                    box("hdlr", handler + [UInt8](repeating: 0, count: 13)),
                    box("minf", tables)
                )
            )
            let header = [0, 0, 0, 8000, seconds * 8000].flatMap { number($0) }
            return box("moov", box("mvhd", header + [UInt8](repeating: 0, count: 80)), track)
        }
        let start = movie(dataAt: 0).count + 8
        return movie(dataAt: start) + number(8 + seconds * 16_000) + Array("mdat".utf8)
            + [UInt8](repeating: 1, count: present * 16_000)
    }

    private static func heard(_ bytes: [UInt8], from start: Duration) async throws -> SampleCount {
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "film.mp4"),
            source: MemorySource(bytes: bytes),
            start: start
        )
        var heard: SampleCount = 0
        do {
            while let entries = try await feed.next() {
                for case .packet(let packet) in entries {
                    heard = heard + packet.duration - packet.trimStart - packet.trimEnd
                }
            }
        } catch let failure as PlayerFailure where heard > 0 {
            // The feed reports the cut after the sound.
            #expect(failure.code == .notAudio)
            #expect(failure.message.contains("film.mp4 is cut short"))
            self.told.withLock { $0 += 1 }
        }
        return heard
    }

    /// How many times a feed reported a cut file after its sound.
    private static let told = Mutex(0)

    @Test("the existing part is heard, and then an error says that the file is cut short")
    func present() async throws {
        let bytes = Self.file(seconds: 10, present: 6)
        #expect(try await Self.heard(Self.file(seconds: 10, present: 10), from: .zero) == 80_000)
        #expect(Self.told.withLock { $0 } == 0)
        // All of the last present second is heard, except for an incomplete packet.
        #expect(8000 - 2048..<8001 ~= (try await Self.heard(bytes, from: .seconds(5))).rawValue)
        #expect(Self.told.withLock { $0 } == 1)
    }

    @Test(
        "a start behind that part gives an error that names the file and says that it is cut short",
        arguments: [7, 9.9, 99]
    )
    func behind(_ seconds: Double) async throws {
        let bytes = Self.file(seconds: 10, present: 6)
        let failure = await #expect(throws: PlayerFailure.self) {
            try await Self.heard(bytes, from: .seconds(seconds))
        }
        #expect(failure?.description.contains("film.mp4 is cut short or damaged") == true)
    }
}
