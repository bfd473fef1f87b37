// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirSource
import WeirTestKit

/// A station that sends in virtual time, with outages that a test chooses.
final class RadioBroadcast: StationTransport {
    /// The kind of an outage.
    enum Kind: CaseIterable {
        /// The connection ends, and the station accepts no new one.
        case gone
        /// The connection stays open, but delivers nothing.
        case silent
        /// The station responds with a page.
        case page
        /// The station responds that it is overloaded.
        case busy
    }

    /// The kind of sound that the station sends.
    enum Sound {
        /// MPEG-2.5 layer III of 8 kbit/s: 72 bytes are 72 ms.
        case mp3
        /// ADTS at 8 kHz with four blocks a frame: 512 bytes are 512 ms, so that a day has few frames.
        case aac

        var chunk: ByteMemory {
            switch self {
            case .mp3:
                let frame = [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 68)
                return ByteMemory((0..<10).flatMap { _ in frame })
            case .aac:
                // LC, sampling frequency index 11, one channel, 512 bytes, variable rate, 3 + 1 blocks.
                let frame =
                    [0xFF, 0xF1, 0x6C, 0x40, 0x40, 0x1F, 0xFF]
                    + [UInt8](repeating: 0, count: 505)
                return ByteMemory(frame + frame)
            }
        }

        /// How long it takes to send a chunk.
        var time: Duration { self == .mp3 ? .milliseconds(720) : .milliseconds(1024) }

        var mediaType: String { self == .mp3 ? "audio/mpeg" : "audio/aac" }
    }

    struct Outage: Sendable {
        var time: Range<Duration>
        var kind: Kind
    }

    let display = "radio.example"
    private let clock: VirtualTime.Clock
    private let outages: [Outage]
    private let titleEvery: Int?
    private let sound: Sound
    private let chunk: ByteMemory
    private let burst: Int
    private let connections = Mutex(0)

    /// - Parameters:
    ///   - clock: the clock of the virtual time.
    ///   - outages: the outages, in order.
    ///   - titleEvery: how many bytes of sound are between titles; `nil` for no titles.
    ///   - sound: the kind of sound.
    ///   - burst: how many chunks a new listener gets early: two at once, the others soon after.
    init(
        _ clock: VirtualTime.Clock,
        outages: [Outage] = [],
        titleEvery: Int? = nil,
        sound: Sound = .mp3,
        burst: Int = 0
    ) {
        self.burst = burst
        self.sound = sound
        self.chunk = sound.chunk
        self.clock = clock
        self.outages = outages
        self.titleEvery = titleEvery
    }

    var connectionCount: Int { self.connections.withLock { $0 } }

    /// The outage at the present time.
    fileprivate var outage: Outage? {
        let now = self.clock.now.offset
        // A binary search: a day has hundreds of outages.
        var low = 0
        var high = self.outages.count
        while low < high {
            let middle = (low + high) / 2
            if self.outages[middle].time.upperBound <= now {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < self.outages.count, self.outages[low].time.contains(now) else { return nil }
        return self.outages[low]
    }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        self.connections.withLock { $0 += 1 }
        try await self.clock.sleep(for: .milliseconds(40))
        switch self.outage?.kind {
        case .gone: throw SourceError(.unreachable, "radio.example refused the connection.")
        case .busy: throw SourceError(.originFailed, "radio.example answered 503.", status: 503)
        case .page:
            return StationAnswer(
                fields: [("Content-Type", "text/html")],
                mediaType: "text/html",
                display: self.display,
                body: Page()
            )
        case .silent, nil:
            var fields = [("Content-Type", self.sound.mediaType), ("icy-name", "Radio Example")]
            if let titleEvery { fields.append(("icy-metaint", "\(titleEvery)")) }
            return StationAnswer(
                fields: fields,
                mediaType: self.sound.mediaType,
                display: self.display,
                body: Body(self)
            )
        }
    }

    private final class Page: StationBody {
        private let isRead = Mutex(false)

        func next() async throws -> ByteMemory? {
            guard
                !self.isRead.withLock({ isRead in
                    defer { isRead = true }
                    return isRead
                })
            else { return nil }
            return ByteMemory(Array("<!DOCTYPE html><html><body>Sorry.</body></html>".utf8))
        }

        func cancel() {}
    }

    private final class Body: StationBody {
        private let broadcast: RadioBroadcast
        private let state = Mutex((isCancelled: false, burst: 0, sent: 0, titles: 0))

        init(_ broadcast: RadioBroadcast) { self.broadcast = broadcast }

        func next() async throws -> ByteMemory? {
            while true {
                let wait = self.state.withLock { state in
                    state.burst += 1
                    if state.burst > self.broadcast.burst { return self.broadcast.sound.time }
                    // The third chunk is delayed, as on a slow connection.
                    return state.burst == 3 ? Duration.milliseconds(60) : .zero
                }
                try await self.broadcast.clock.sleep(for: wait)
                if self.state.withLock({ $0.isCancelled }) { throw CancellationError() }
                switch self.broadcast.outage?.kind {
                case nil: return self.piece()
                case .silent: continue
                case .gone, .page, .busy: return nil
                }
            }
        }

        /// Some frames, with a title where one is due.
        private func piece() -> ByteMemory {
            guard let every = self.broadcast.titleEvery else { return self.broadcast.chunk }
            return self.state.withLock { state in
                var bytes: [UInt8] = []
                for byte in self.broadcast.chunk.array {
                    if state.sent == every {
                        bytes += Self.title(state.titles)
                        state.titles += 1
                        state.sent = 0
                    }
                    bytes.append(byte)
                    state.sent += 1
                }
                return ByteMemory(bytes)
            }
        }

        private static func title(_ number: Int) -> [UInt8] {
            var block = Array("StreamTitle='Song \(number)';".utf8)
            while block.count % 16 != 0 { block.append(0) }
            return [UInt8(block.count / 16)] + block
        }

        func cancel() { self.state.withLock { $0.isCancelled = true } }
    }
}

/// A station that cannot be reached.
struct RefusingTransport: StationTransport {
    let display = "radio.example"

    func connect(to target: StationTarget) async throws -> StationAnswer {
        throw SourceError(.notFound, "radio.example has no such station.", status: 404)
    }
}
