// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite("Where two connections overlap")
struct ConnectionJoinTests {
    /// The sound that a ``ConnectionJoin`` keeps of successive connections.
    struct Kept {
        private var join = ConnectionJoin()
        private var position: Int64 = 0
        private var lastWrite: Duration?
        private(set) var time: Duration = .zero
        private(set) var bytes: [UInt8] = []
        private(set) var stretches = 0
        /// The titles and their offsets.
        private(set) var titles: [String] = []
        private(set) var titleOffsets: [Int] = []
        private(set) var links = 0
        private(set) var packets: [StreamPacket] = []
        private(set) var isHolding = false

        /// The numbers of all frames; `nil` if there is anything else.
        var numbers: [Int]? { NumberedFrames.numbers(self.bytes) }

        /// A connection that delivers bytes at times, and ends unless `stays` is true.
        mutating func connect(
            _ portions: [(at: Duration, bytes: [UInt8])],
            type: String = "audio/mpeg",
            interval: Int? = nil,
            stays: Bool = false
        ) {
            var feed = StreamFeed(
                StationInfo(
                    headers: ICYHeaders(interval.map { [("icy-metaint", "\($0)")] } ?? []),
                    mediaType: type,
                    display: "radio.example"
                ),
                charset: nil,
                time: self.time,
                position: self.position,
                limit: 1 << 20
            )
            self.join.begin(at: self.position)
            var now = Duration.zero
            for portion in portions {
                now = portion.at
                let steps = feed.push(ByteMemory(portion.bytes)).steps
                self.keep(self.join.take(steps, now: now, lastWrite: self.lastWrite), now)
            }
            guard !stays else {
                self.isHolding = self.join.isHolding
                return
            }
            let last = self.join.take(feed.finish().steps, now: now, lastWrite: self.lastWrite)
            self.keep(last, now)
            self.keep(self.join.settle(now: now, isOver: true), now)
            self.isHolding = self.join.isHolding
        }

        /// A connection that delivers all bytes at once.
        mutating func connect(
            at now: Duration,
            _ bytes: [UInt8],
            by size: Int = 1400,
            type: String = "audio/mpeg",
            interval: Int? = nil
        ) {
            self.connect(
                bytes.split(by: size).map { (now, $0) },
                type: type,
                interval: interval
            )
        }

        private mutating func keep(_ steps: [FeedStep], _ now: Duration) {
            for step in steps {
                switch step {
                case .stretch: self.stretches += 1
                case .link(_, let head, let offset):
                    self.links += 1
                    #expect(offset == Int64(self.bytes.count), "\(head.count)")
                case .bytes(let bytes):
                    self.bytes += bytes.array
                    self.position += Int64(bytes.count)
                case .title(let title):
                    self.titles.append(title.title ?? "")
                    self.titleOffsets.append(self.bytes.count)
                case .sign: break
                case .packet(let packet):
                    #expect(packet.time == self.time)
                    self.packets.append(packet)
                    self.time = packet.time + packet.duration
                    self.lastWrite = now
                }
            }
        }
    }

    private static let frames = NumberedFrames.frames
    /// Silence: all frames are the same; if padded, every third frame has another form.
    private static func silence(_ count: Int, isPadded: Bool = true) -> [UInt8] {
        (0..<count).flatMap {
            NumberedFrames.frame(isPadded && $0 % 3 == 0 ? 1_000_001 : 1_000_000)
        }
    }

    @Test(
        "is found wherever the old connection was cut and the new one begins",
        arguments: Array(stride(from: 0, to: 144, by: 11))
    )
    func cuts(cut: Int) {
        for start in stride(from: 0, to: 144 * 3, by: TestLength.short(29, long: 7)) {
            var kept = Kept()
            kept.connect(at: .zero, Array(Self.frames(0..<101).dropLast(cut)))
            kept.connect(at: .seconds(1), Array(Self.frames(40..<150).dropFirst(start)), by: 100)
            #expect(kept.numbers == Array(0..<150), "\(start)")
            #expect(kept.stretches == 1)
            #expect(kept.packets.map(\.offset) == (0..<150).map { Int64($0 * 144) })
            #expect(kept.time == .milliseconds(36) * 150)
        }
    }

    @Test("is not found where sound was missed, and all received sound is kept, with a gap")
    func missed() {
        var kept = Kept()
        kept.connect(at: .zero, Self.frames(0..<100))
        kept.connect(at: .seconds(5), Self.frames(120..<200))
        #expect(kept.numbers == Array(0..<100) + Array(120..<200))
        #expect(kept.stretches == 2)
    }

    @Test("is not found with a connection of another bit rate, which loses nothing")
    func bitrate() {
        var kept = Kept()
        kept.connect(at: .zero, Self.frames(0..<100))
        let others = (0..<100).flatMap { Broadcast.mp3.unit($0) }
        kept.connect(at: .seconds(1), others)
        #expect(kept.bytes == Self.frames(0..<100) + others)
        #expect(kept.stretches == 2)
    }

    @Test("may be longer than the known part of the old connection")
    func long() {
        var kept = Kept()
        kept.connect(at: .zero, Self.frames(0..<6000), by: 100_000)
        kept.connect(at: .seconds(1), Self.frames(200..<6100), by: 100_000)
        #expect(kept.numbers == Array(0..<6100))
        #expect(kept.stretches == 1)
        // Sound that was missed earlier is not inserted at the wrong place.
        var other = Kept()
        other.connect(at: .zero, Self.frames(0..<50))
        other.connect(at: .seconds(5), Self.frames(90..<140))
        other.connect(at: .seconds(6), Self.frames(20..<180), by: 1000)
        #expect(other.numbers == Array(0..<50) + Array(90..<180))
        #expect(other.stretches == 2)
    }

    @Test("repeats a file that the server sends at its pace from the beginning again and again")
    func restartAtPace() {
        var kept = Kept()
        for number in 0..<4 {
            let start = Duration.seconds(10 * number)
            kept.connect(
                (0..<20).map {
                    (start + .milliseconds(360) * $0, Self.frames($0 * 10..<$0 * 10 + 10))
                }
            )
        }
        #expect(kept.numbers == (0..<4).flatMap { _ in Array(0..<200) })
        #expect(kept.stretches == 4)
    }

    @Test("continues a file that the server sends at once from its beginning, if it has more")
    func restartAtOnce() {
        var kept = Kept()
        kept.connect(at: .zero, Self.frames(0..<200))
        kept.connect(at: .seconds(1), Self.frames(0..<260))
        #expect(kept.numbers == Array(0..<260))
        kept.connect(at: .seconds(2), Self.frames(0..<260))
        #expect(kept.numbers == Array(0..<260) + Array(0..<260))
        #expect(kept.stretches == 2)
    }

    @Test("is not found by silence alone, and no other sound is lost or heard twice")
    func silence() {
        for isPadded in [true, false] {
            let silent = { Self.silence($0, isPadded: isPadded) }
            // The old connection ends in silence, and the new one begins in that silence, at the
            // speed of the broadcast.
            var kept = Kept()
            kept.connect(at: .zero, Self.frames(0..<50) + silent(60))
            kept.connect(at: .seconds(3), silent(60) + Self.frames(50..<70))
            let numbers = kept.numbers ?? []
            #expect(numbers.filter { $0 < 1000 } == Array(0..<70))
            #expect(numbers.count == 50 + 120 + 20, "\(numbers.count)")
            #expect(kept.stretches == 2)
            // The new connection delivers all its silence at once, a second later. Only one second
            // of it is new.
            var other = Kept()
            other.connect(at: .zero, Self.frames(0..<50) + silent(150))
            other.connect(at: .seconds(1), silent(139))
            let count = other.numbers?.count ?? 0
            #expect((200 + 27...200 + 29).contains(count), "\(count)")
            // Sound before the silence shows how the two connections overlap.
            var third = Kept()
            third.connect(at: .zero, Self.frames(0..<50) + silent(12))
            third.connect(at: .seconds(1), Self.frames(30..<50) + silent(30) + Self.frames(50..<60))
            #expect(third.bytes == Self.frames(0..<50) + silent(30) + Self.frames(50..<60))
            #expect(third.stretches == 1)
        }
    }

    @Test("repeats no title, and gives a new title where the new sound begins")
    func titles() {
        var kept = Kept()
        let interval = 144 * 20
        kept.connect(
            at: .zero,
            Self.frames(0..<100).withTitles(every: interval) { ["A", nil, "B", nil, nil][$0] },
            interval: interval
        )
        kept.connect(
            at: .seconds(1),
            Self.frames(50..<150).withTitles(every: interval) { ["B", nil, nil, "C", nil][$0] },
            interval: interval
        )
        kept.connect(
            at: .seconds(2),
            Self.frames(100..<200).withTitles(every: interval) { ["D", nil, nil, nil, nil][$0] },
            interval: interval
        )
        #expect(kept.numbers == Array(0..<200))
        // Title B applies to the new sound too, so it is reported there; a ring does not report it
        // twice.
        #expect(kept.titles == ["A", "B", "B", "C", "D"])
        #expect(kept.titleOffsets.map { $0 / 144 } == [20, 60, 100, 130, 150])
    }

    @Test("continues Ogg in the page where the old connection ended, without another header")
    func pages() throws {
        for broadcast in [
            Broadcast.opus(), .opus(linkOf: 7), try .vorbis(), try .vorbis(linkOf: 7),
        ] {
            let old = broadcast.head(3) + broadcast.bytes(3..<12)
            for cut in [0, 1, 30, 200, old.count / 4] {
                var kept = Kept()
                kept.connect(at: .zero, Array(old.dropLast(cut)), type: broadcast.mediaType)
                let first = 12 - 5
                kept.connect(
                    at: .seconds(1),
                    broadcast.head(first) + broadcast.bytes(first..<20),
                    by: 300,
                    type: broadcast.mediaType
                )
                #expect(kept.bytes == broadcast.head(3) + broadcast.bytes(3..<20), "\(cut)")
                #expect(kept.stretches == 1)
            }
        }
    }

    @Test("is not found in another logical stream, even with the same sound")
    func serial() {
        let broadcast = Broadcast.opus()
        let other = Broadcast.opus(linkOf: 1000)
        var kept = Kept()
        kept.connect(at: .zero, broadcast.head(0) + broadcast.bytes(0..<10), type: "audio/ogg")
        let bytes = other.bytes(1000..<1010)
        kept.connect(at: .seconds(1), bytes, type: "audio/ogg")
        #expect(kept.bytes.suffix(bytes.count).elementsEqual(bytes))
        #expect(kept.stretches == 2)
    }

    @Test(
        "adds nothing if the connection ends within it; a connection waits half a second for one"
    )
    func ends() {
        var kept = Kept()
        kept.connect(at: .zero, Self.frames(0..<100))
        kept.connect(at: .seconds(1), Self.frames(50..<80))
        #expect(kept.numbers == Array(0..<100))
        kept.connect(at: .seconds(2), Self.frames(60..<120))
        #expect(kept.numbers == Array(0..<120))
        #expect(kept.stretches == 1)
        let late = Duration.seconds(5) + ConnectionJoin.settling
        kept.connect(
            [(.seconds(5), Self.frames(300..<330)), (late, Self.frames(330..<340))],
            stays: true
        )
        #expect(!kept.isHolding)
        // The parser keeps the last frame until it sees the next one.
        #expect(kept.numbers?.starts(with: Array(0..<120) + Array(300..<335)) == true)
    }

    @Test(
        "of any two connections gives the stream that was broadcast",
        arguments: 1...TestLength.short(12, long: 200) as ClosedRange<UInt64>
    )
    func any(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Sound with silences of many lengths.
        var programme: [[UInt8]] = []
        var number = 0
        while programme.count < 4000 {
            for _ in 0..<Int.random(in: 1...120, using: &generator) {
                programme.append(NumberedFrames.frame(number))
                number += 1
            }
            let count = [0, 1, 2, 5, 40, 300].randomElement(using: &generator) ?? 0
            for index in 0..<count {
                programme.append(NumberedFrames.frame(index % 3 == 0 ? 1_000_001 : 1_000_000))
            }
        }
        let burst = Int.random(in: 60...200, using: &generator)
        var kept = Kept()
        var live = Int.random(in: 0...200, using: &generator)
        var now = Duration.milliseconds(36) * live
        while live < 3500 {
            let first = max(0, live - burst)
            let bytes = Array(programme[first..<live].joined())
            let cut = Int.random(in: 0..<144, using: &generator)
            let size = Int.random(in: 100...5000, using: &generator)
            var portions = Array(bytes.dropFirst(cut)).split(by: size).map { (now, $0) }
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                now += .milliseconds(360)
                portions.append((now, Array(programme[live..<live + 10].joined())))
                live += 10
            }
            kept.connect(portions)
            let wait = Int.random(in: 1...28, using: &generator)
            live += wait
            now += .milliseconds(36) * wait
        }
        let heard = (kept.numbers ?? []).filter { $0 < 1_000_000 }
        let first = heard.first ?? 0
        #expect(heard == Array(first..<first + heard.count), "seed \(seed)")
        let length = Duration.milliseconds(36) * live
        #expect(length - kept.time < .seconds(12), "\(length - kept.time), seed \(seed)")
        #expect(kept.time - length < .seconds(1), "\(kept.time - length), seed \(seed)")
    }
}
