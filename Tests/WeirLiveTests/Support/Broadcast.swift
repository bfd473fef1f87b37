// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirAudio
import WeirLive
import WeirSource

/// A programme that runs even without listeners, and a server's output for each listener.
struct Broadcast: Sendable {
    var mediaType = "audio/mpeg"
    /// The duration of a unit: a frame, or a page.
    var unitTime: Duration
    /// The bytes of each unit, by its number from 0.
    var unit: @Sendable (Int) -> [UInt8]
    /// The bytes that a listener gets in front of its first unit.
    var head: @Sendable (Int) -> [UInt8] = { _ in [] }
    /// How much of the latest sound a listener gets at once.
    var burst = Duration.seconds(5)
    /// How long the broadcast has been running when the test begins.
    var lead = Duration.seconds(600)
    /// Whether connections begin and end within a unit.
    var isRagged = false
    /// The number of bytes between titles, and the title at a unit.
    var titles: (interval: Int, title: @Sendable (Int) -> String)?

    /// The unit that is broadcast at a time.
    func number(at time: Duration) -> Int { Int((time + self.lead) / self.unitTime) }

    /// The bytes of successive units.
    func bytes(_ numbers: Range<Int>) -> [UInt8] { numbers.flatMap { self.unit($0) } }

    /// The number of the last unit in a listener's bytes, which begin with the unit `first`.
    ///
    /// - Returns: the number; `nil` if the bytes contain anything but the broadcast.
    func last(of bytes: [UInt8], from first: Int) -> Int? {
        var rest = bytes[...]
        var number = first
        let head = self.head(first)
        if rest.starts(with: head) { rest = rest.dropFirst(head.count) }
        while !rest.isEmpty {
            let unit = self.unit(number)
            guard Array(rest.prefix(unit.count)) == unit else { return nil }
            rest = rest.dropFirst(unit.count)
            number += 1
        }
        return number - 1
    }
}

extension Broadcast {
    /// MPEG-2.5 layer III of 8 kbit/s.
    static let mp3 = Broadcast(
        unitTime: .milliseconds(72),
        unit: { number in
            [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 32)
                + (0..<6).map { 0x40 | UInt8(number >> (6 * $0) & 0x3F) }
                + (42..<72).map { UInt8($0) }
        }
    )

    /// ADTS of 8 kHz with four blocks a frame, so that an hour has few frames.
    static let aac = Broadcast(
        mediaType: "audio/aac",
        unitTime: .milliseconds(512),
        unit: { number in
            let body = TinyOgg.little(UInt64(number), 4) + (0..<500).map { UInt8($0 % 251) }
            let size = 7 + body.count
            return [
                0xFF, 0xF1, 0x6C, 0x40 | UInt8(size >> 11), UInt8(truncatingIfNeeded: size >> 3),
                UInt8(size & 7) << 5 | 0x1F, 0xFF,
            ] + body
        }
    )

    private static let packets = 25

    /// Opus: a page is half a second.
    static func opus(linkOf pages: Int? = nil) -> Broadcast {
        let link = { @Sendable (number: Int) in pages.map { number / $0 } ?? 0 }
        let headers = { @Sendable (number: Int) in
            var ogg = TinyOgg(serial: UInt32(link(number)))
            return ogg.headers(title: "Link \(link(number))")
        }
        let isFirst = { @Sendable (number: Int) in pages.map { number % $0 == 0 } ?? false }
        return Broadcast(
            mediaType: "application/ogg",
            unitTime: .milliseconds(20 * Self.packets),
            unit: { number in
                var ogg = TinyOgg(
                    serial: UInt32(link(number)),
                    after: pages.map { number % $0 } ?? number,
                    packets: Self.packets
                )
                let isLast = pages.map { number % $0 == $0 - 1 } ?? false
                let page = ogg.sound(
                    packets: Self.packets,
                    fill: UInt8(1 + number % 250),
                    isLast: isLast
                )
                return (isFirst(number) ? headers(number) : []) + page
            },
            head: { isFirst($0) ? [] : headers($0) }
        )
    }

    /// A real Vorbis stream whose second page of sound is sent again and again, with new numbers.
    static func vorbis(linkOf pages: Int? = nil) throws -> Broadcast {
        let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = "/\(path)/WeirLibavTests/Fixtures/vorbis.ogg"
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        var walk = OggPages(bytes)
        let all = walk.all()
        let sound = all.firstIndex { $0.granule > 0 } ?? 0
        let first = all[sound]
        let samples = first.granule
        let link = { @Sendable (number: Int) in pages.map { number / $0 } ?? 0 }
        let place = { @Sendable (number: Int) in pages.map { number % $0 } ?? number }
        let headers = { @Sendable (number: Int) in
            all[..<sound].flatMap { page in
                page.with(
                    serial: UInt32(link(number)),
                    sequence: page.sequence,
                    granule: 0,
                    flags: page.flags
                )
            }
        }
        let isFirst = { @Sendable (number: Int) in pages != nil && place(number) == 0 }
        return Broadcast(
            mediaType: "application/ogg",
            unitTime: .seconds(Double(samples) / 44_100),
            unit: { number in
                let page = first.with(
                    serial: UInt32(link(number)),
                    sequence: UInt32(sound + place(number)),
                    granule: samples * Int64(place(number) + 1),
                    flags: 0
                )
                return (isFirst(number) ? headers(number) : []) + page
            },
            head: { isFirst($0) ? [] : headers($0) }
        )
    }
}

/// Splits an Ogg file into pages.
struct OggPages {
    struct Page: Sendable {
        var bytes: [UInt8]

        private func number(_ place: Int, _ count: Int) -> UInt64 {
            self.bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        var flags: UInt8 { self.bytes[5] }
        var granule: Int64 { Int64(bitPattern: self.number(6, 8)) }
        var sequence: UInt32 { UInt32(self.number(18, 4)) }

        func with(serial: UInt32, sequence: UInt32, granule: Int64, flags: UInt8) -> [UInt8] {
            var bytes = self.bytes
            bytes[5] = flags
            bytes.replaceSubrange(6..<14, with: TinyOgg.little(UInt64(bitPattern: granule), 8))
            bytes.replaceSubrange(14..<18, with: TinyOgg.little(UInt64(serial), 4))
            bytes.replaceSubrange(18..<22, with: TinyOgg.little(UInt64(sequence), 4))
            return TinyOgg.sealed(bytes)
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.rest = bytes[...] }

    mutating func all() -> [Page] {
        var pages: [Page] = []
        while self.rest.count >= 27 {
            let start = self.rest.startIndex
            let head = 27 + Int(self.rest[start + 26])
            let body = self.rest[(start + 27)..<(start + head)].reduce(0) { $0 + Int($1) }
            pages.append(Page(bytes: Array(self.rest.prefix(head + body))))
            self.rest = self.rest.dropFirst(head + body)
        }
        return pages
    }
}

/// The body of one connection to a broadcast.
final class BroadcastBody: StationBody {
    private struct State {
        var isCancelled = false
        var start: Duration?
        /// The next unit to send.
        var next = 0
        var untilTitle = 0
        var told: String?
    }

    private let broadcast: Broadcast
    private let duration: Duration?
    private let timeline: Timeline
    private let cancelled: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        _ broadcast: Broadcast,
        for duration: Duration?,
        timeline: Timeline,
        cancelled: @escaping @Sendable () -> Void
    ) {
        self.broadcast = broadcast
        self.duration = duration
        self.timeline = timeline
        self.cancelled = cancelled
    }

    func cancel() {
        let isFirst = self.state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        if isFirst { self.cancelled() }
    }

    /// How many units are sent together.
    private var portion: Int { max(1, Int(Duration.milliseconds(360) / self.broadcast.unitTime)) }

    func next() async throws -> ByteMemory? {
        while true {
            try Task.checkCancellation()
            let now = self.timeline.elapsed()
            let live = self.broadcast.number(at: now)
            let step = self.state.withLock { state -> [UInt8]? in
                if state.isCancelled { return nil }
                var bytes: [UInt8] = []
                let isFirst = state.start == nil
                if isFirst {
                    state.start = now
                    state.next = max(0, self.broadcast.number(at: now - self.broadcast.burst))
                    state.untilTitle = self.broadcast.titles?.interval ?? 0
                    bytes = self.broadcast.head(state.next)
                    if self.broadcast.isRagged {
                        bytes += self.broadcast.unit(state.next).dropFirst(50)
                        state.next += 1
                    }
                }
                let end =
                    isFirst || state.next + self.portion <= live ? min(live, state.next + 64) : 0
                while state.next < end {
                    bytes += self.broadcast.unit(state.next)
                    state.next += 1
                }
                return bytes.isEmpty ? [] : self.titled(bytes, &state, live)
            }
            guard let step else { throw CancellationError() }
            if !step.isEmpty { return ByteMemory(step) }
            if let duration, let start = self.state.withLock({ $0.start }), now - start >= duration
            {
                guard self.broadcast.isRagged, self.state.withLock({ $0.told }) != "over" else {
                    return nil
                }
                return self.state.withLock { state in
                    state.told = "over"
                    return ByteMemory(Array(self.broadcast.unit(state.next).prefix(60)))
                }
            }
            let next = self.state.withLock { $0.next } + self.portion
            let time = self.broadcast.unitTime * next - self.broadcast.lead
            let end = self.state.withLock { $0.start }.flatMap { start in
                self.duration.map { start + $0 }
            }
            try await self.timeline.sleep(max(.milliseconds(1), min(time, end ?? time) - now))
        }
    }

    private func titled(_ bytes: [UInt8], _ state: inout State, _ live: Int) -> [UInt8] {
        guard let (interval, title) = self.broadcast.titles else { return bytes }
        var body: [UInt8] = []
        for byte in bytes {
            body.append(byte)
            state.untilTitle -= 1
            guard state.untilTitle == 0 else { continue }
            state.untilTitle = interval
            let text = title(live)
            guard text != state.told else {
                body.append(0)
                continue
            }
            state.told = text
            var block = [UInt8]("StreamTitle='\(text)';".utf8)
            while block.count % 16 != 0 { block.append(0) }
            body += [UInt8(block.count / 16)] + block
        }
        return body
    }
}
