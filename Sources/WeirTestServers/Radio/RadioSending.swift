// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A stream that is being sent: decides the next step and its time, without a socket.
struct RadioSending: Sendable {
    enum Step: Sendable, Equatable {
        case write([UInt8], audioCount: Int)
        /// Nothing until this time, counted from the head.
        case wait(until: Duration)
        /// Nothing until ``endStall()``, or until the client leaves.
        case stall
        case close
    }

    private static let pieceSize = 16 * 1024

    /// The body, which counts the bytes that have been taken.
    private(set) var feed: RadioFeed
    private let pace: RadioPace
    private let isChunked: Bool
    private let portions: [Int]
    private let deadline: Duration?
    private let cut: Int64?
    private var stall: (after: Int64, seconds: Double?)?
    private var stalledUntil: Duration?
    private var isStalled = false
    private var count = 0

    init(_ feed: RadioFeed, _ behaviour: RadioBehaviour, pace: RadioPace) {
        self.feed = feed
        self.pace = pace
        self.isChunked = behaviour.has(.chunked)
        self.portions =
            behaviour.last {
                if case .portions(let sizes) = $0 { sizes.filter { $0 > 0 } } else { nil }
            } ?? []
        self.deadline = behaviour.last {
            if case .close(let seconds) = $0 { .seconds(max(0, seconds)) } else { nil }
        }
        self.cut = behaviour.last { if case .cut(let count) = $0 { max(0, count) } else { nil } }
        self.stall = behaviour.last {
            if case .stall(let count, let seconds) = $0 { (count, seconds) } else { nil }
        }
    }

    /// Decides the next step, now that there is room for a piece.
    ///
    /// - Parameter now: the time since the head was sent.
    /// - Returns: the step, which counts as done.
    mutating func next(now: Duration) -> Step {
        if let deadline, now >= deadline { return .close }
        if self.isStalled { return .stall }
        if let stalledUntil, now < stalledUntil { return self.wait(until: stalledUntil) }
        var limit = self.size
        if let cut {
            guard self.feed.sent < cut else { return .close }
            limit = min(limit, Int(clamping: cut - self.feed.sent))
        }
        if let stall {
            if self.feed.sent >= stall.after {
                self.stall = nil
                guard let seconds = stall.seconds else {
                    self.isStalled = true
                    return .stall
                }
                let end = now + .seconds(seconds)
                self.stalledUntil = end
                return self.wait(until: end)
            }
            limit = min(limit, Int(clamping: stall.after - self.feed.sent))
        }
        let room = self.pace.allowance(at: now) - self.feed.sent
        if room < Int64(limit), self.pace.bytesPerSecond != nil {
            // Only whole portions are sent, so that a stream looks the same at every pace.
            let due = self.pace.time(of: self.feed.sent + Int64(limit))
            if due > now { return self.wait(until: due) }
        }
        let piece = self.feed.next(upTo: limit)
        guard !piece.bytes.isEmpty else { return .close }
        self.count += 1
        return .write(self.framed(piece.bytes), audioCount: piece.audioCount)
    }

    /// Ends a stall that has no end of its own.
    mutating func endStall() {
        self.isStalled = false
    }

    /// The size of the next portion; without portions about a tenth of a second.
    private var size: Int {
        guard self.portions.isEmpty else { return self.portions[self.count % self.portions.count] }
        guard let rate = self.pace.bytesPerSecond else { return Self.pieceSize }
        return Int(min(Int64(Self.pieceSize), max(1, rate / 10)))
    }

    private func wait(until time: Duration) -> Step {
        .wait(until: self.deadline.map { min($0, time) } ?? time)
    }

    private func framed(_ bytes: [UInt8]) -> [UInt8] {
        guard self.isChunked else { return bytes }
        return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }
}
