// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Joins a new connection to the last one at their overlap, so that no sound is kept twice.
///
/// Servers send the last seconds of their broadcast at once, so that players can begin soon. After
/// a short interruption, the new connection repeats sound of the old one. So the join holds back
/// the beginning of a connection, until it knows how the connection continues the kept stream:
///
/// - An evident overlap (``OverlapSearch``) is left out, and the stream continues without a new
///   stretch.
/// - Packets that are equal but prove nothing, such as silence, are left out as far as the server
///   sent them faster than real time. The packets behind them form a new stretch after a gap.
/// - In all other cases everything is kept, after a gap.
///
/// Some servers send a file from its beginning again, instead of continuing it. Then the overlap
/// counts only if the server sends so much at once that new sound follows.
///
/// The decision takes half a second at most. It takes longer only while an evident overlap is about
/// to end.
struct ConnectionJoin: Sendable {
    /// After a longer outage the join does not look for an overlap.
    static let reach = Duration.seconds(60)
    /// How long the join waits before it decides.
    static let settling = Duration.milliseconds(500)
    /// After that, the join still waits for the end of an evident overlap if at most this much of
    /// it remains.
    static let patience = Duration.seconds(10)
    /// How many bytes, and packets, the join holds back at most.
    static let byteLimit: Int64 = 4 << 20
    static let unitLimit = 2 * StreamTail.limit

    private enum Verdict {
        /// The decision needs more packets.
        case wait
        /// The first packets, in this number, are the overlap.
        case join(Int)
        /// All packets that arrived are kept already.
        case leave
        /// Leave out the first packets, in this number; a stretch begins behind them.
        case trim(Int)
    }

    /// The newest kept packets.
    private var tail = StreamTail()
    private var held: HeldStart?
    /// Whether the connection's first stretch has not begun yet.
    private var isFresh = false

    /// The offset of the feed's next byte, as the feed counts.
    private var offset: Int64 = 0
    /// Bytes before this offset are left out.
    private var cut: Int64 = 0
    /// How many bytes were left out: the feed counts them, and the station's stream does not.
    private var leftBytes: Int64 = 0
    private var leftTime: Duration = .zero
    /// The last title among the bytes that are left out.
    private var title: ICYMetadata?
    /// The last format and tags in headers.
    private var format: AudioFormat?
    private var tags: [AudioTagField]?

    /// When the current stretch arrived, held back or not.
    private(set) var stretchTime: Duration = .zero
    /// Whether the beginning of a connection is held back.
    var isHolding: Bool { self.held != nil }

    /// A new connection's feed begins.
    ///
    /// - Parameter offset: the offset of the feed's first byte: the end of the kept stream.
    mutating func begin(at offset: Int64) {
        self.held = nil
        self.isFresh = true
        self.offset = offset
        self.cut = 0
        self.leftBytes = 0
        self.leftTime = .zero
        self.title = nil
    }

    /// Takes the feed's steps for new bytes.
    ///
    /// - Parameters:
    ///   - steps: the steps, in order.
    ///   - now: the time.
    ///   - lastWrite: when bytes were last kept, if ever.
    /// - Returns: the steps to keep.
    mutating func take(
        _ steps: [FeedStep],
        now: Duration,
        lastWrite: Duration?
    ) -> [FeedStep] {
        var kept: [FeedStep] = []
        for step in steps {
            if case .stretch(let container) = step {
                // The stream changes before the join has decided about the first stretch.
                self.resolve(now: now, isOver: true, into: &kept)
                self.stretchTime = now
                if self.isFresh, let lastWrite { self.hold(container, now - lastWrite, now) }
                self.isFresh = false
            }
            if self.held != nil {
                self.held?.add(step)
            } else {
                self.pass(step, into: &kept)
            }
        }
        self.resolve(now: now, isOver: false, into: &kept)
        return kept
    }

    /// Decides at the end of the waiting time, or at the end of the connection.
    ///
    /// - Returns: the steps to keep.
    mutating func settle(now: Duration, isOver: Bool) -> [FeedStep] {
        var kept: [FeedStep] = []
        self.resolve(now: now, isOver: isOver, into: &kept)
        return kept
    }

    // MARK: Deciding

    private mutating func hold(_ container: AudioContainer, _ outage: Duration, _ now: Duration) {
        guard !self.tail.units.isEmpty, self.tail.container == container,
            outage <= Self.reach
        else { return }
        let isNumbered: Bool
        switch container {
        case .mpegAudio, .adts, .loas: isNumbered = false
        case .ogg, .flac: isNumbered = true
        // Packets of these containers cannot be distinguished.
        case .wave, .mp4: return
        }
        self.held = HeldStart(
            tail: StreamTail(end: self.offset, endTime: self.tail.endTime),
            search: OverlapSearch(self.tail.units, isNumbered: isNumbered),
            start: now,
            offset: self.offset,
            time: self.tail.endTime,
            outage: outage
        )
    }

    private mutating func resolve(now: Duration, isOver: Bool, into kept: inout [FeedStep]) {
        guard let held = self.held else { return }
        let verdict = self.verdict(on: held, now: now, isOver: isOver)
        var steps = held.steps
        switch verdict {
        case .wait: return
        case .join(let count):
            // The kept stream may end within a page.
            let rest = self.tail.units.last.map { self.tail.end - $0.offset } ?? 0
            self.cut = held.search.new[count - 1].offset + rest
            steps.removeFirst()
        case .leave:
            self.cut = held.tail.end
            steps.removeFirst()
        case .trim(let count): self.cut = held.end(of: count)
        }
        self.leftBytes = max(0, self.cut - held.offset)
        self.held = nil
        for step in steps { self.pass(step, into: &kept) }
    }

    private func verdict(on held: HeldStart, now: Duration, isOver: Bool) -> Verdict {
        let search = held.search
        let elapsed = now - held.start
        let sound = held.tail.endTime - held.time
        let isFull =
            held.tail.end - held.offset > Self.byteLimit || search.new.count > Self.unitLimit
        let isLate = isOver || isFull || elapsed >= Self.settling
        // A restart from the beginning counts only when it continues behind the end of the known
        // packets.
        let proven = search.complete.last {
            search.isEvident($0.match, count: $0.count)
                && (!self.isRestart($0.match) || search.new.count > $0.count)
        }
        let open = search.open.filter { search.isEvident($0) }
        if let proven, isLate || open.isEmpty { return .join(proven.count) }
        guard isLate else { return .wait }
        let going = open.filter { !self.isRestart($0) }
        if isOver, !going.isEmpty { return .leave }
        if !isFull, going.contains(where: { self.remains(of: $0, search) <= Self.patience }) {
            return .wait
        }
        let ahead = sound - elapsed - held.outage
        var plain = search.plainCount
        while plain > 0, held.duration(of: plain) > ahead { plain -= 1 }
        return .trim(plain)
    }

    /// Whether the new connection repeats the old stretch from its very beginning.
    private func isRestart(_ match: OverlapSearch.Match) -> Bool {
        match.alignment == 0 && self.tail.isWhole
    }

    private func remains(of match: OverlapSearch.Match, _ search: OverlapSearch) -> Duration {
        self.tail.endTime - search.next(of: match).time
    }

    // MARK: Keeping

    /// Keeps a step behind the cut, and leaves out a step before the cut.
    private mutating func pass(_ step: FeedStep, into kept: inout [FeedStep]) {
        switch step {
        case .stretch: self.keep(step, into: &kept)
        case .link(let container, let head, let offset):
            guard offset >= self.cut else { return }
            self.keep(
                .link(container, head: head, headOffset: offset - self.leftBytes),
                into: &kept
            )
        case .title(let title):
            self.title = title
            if self.offset >= self.cut { self.tell(into: &kept) }
        case .sign(let sign): if self.isNews(sign) { self.keep(step, into: &kept) }
        case .bytes(let bytes):
            let left = Int(min(max(0, self.cut - self.offset), Int64(bytes.count)))
            self.offset += Int64(bytes.count)
            guard left < bytes.count else { return }
            self.tell(into: &kept)
            self.keep(.bytes(bytes[left..<bytes.count]), into: &kept)
        case .packet(var packet):
            guard packet.offset >= self.cut else {
                self.leftTime += packet.duration
                return
            }
            packet.move(by: -self.leftBytes, .zero - self.leftTime)
            self.keep(.packet(packet), into: &kept)
        }
    }

    /// Whether a sign says something new.
    ///
    /// When a connection continues the last one, its header repeats known facts.
    private mutating func isNews(_ sign: StreamSign) -> Bool {
        switch sign {
        case .trouble: return true
        case .format(let format):
            defer { self.format = format }
            guard self.leftBytes > 0, let last = self.format else { return true }
            return format.codec != last.codec || format.sampleRate != last.sampleRate
                || format.channelCount != last.channelCount
                || format.configuration != last.configuration
        case .tags(let tags):
            defer { self.tags = tags.fields }
            return self.leftBytes == 0 || tags.fields != self.tags
        }
    }

    /// Keeps the last title, unless it was kept already.
    private mutating func tell(into kept: inout [FeedStep]) {
        guard let title else { return }
        self.title = nil
        self.keep(.title(title), into: &kept)
    }

    private mutating func keep(_ step: FeedStep, into kept: inout [FeedStep]) {
        self.tail.add(step)
        kept.append(step)
    }
}

/// The beginning of a connection while it is held back.
private struct HeldStart {
    var steps: [FeedStep] = []
    var tail: StreamTail
    var search: OverlapSearch
    /// When the beginning arrived.
    let start: Duration
    /// The offset of its first byte.
    let offset: Int64
    let time: Duration
    /// The time from the last kept bytes to the arrival of the beginning.
    let outage: Duration

    /// Adds the next step, which is held back as well.
    mutating func add(_ step: FeedStep) {
        let before = self.tail.count
        self.steps.append(step)
        self.tail.add(step)
        for unit in self.tail.units.suffix(self.tail.count - before) { self.search.add(unit) }
    }

    /// Where the first `count` packets end.
    func end(of count: Int) -> Int64 {
        guard count > 0 else { return self.offset }
        let last = self.search.new[count - 1]
        return last.offset + Int64(last.byteCount)
    }

    /// How long the first `count` packets last.
    func duration(of count: Int) -> Duration {
        let new = self.search.new
        return (count < new.count ? new[count].time : self.tail.endTime) - self.time
    }
}
