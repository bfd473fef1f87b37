// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Joins a new connection to the last one where they overlap, so that nothing is kept twice.
///
/// Servers send at once what they broadcast last, for players to begin soon; to one that was connected a moment ago
/// that is the same sound again. What a connection begins with is held back until it is known how it goes on from what
/// is kept:
///
/// - an evident overlap (``OverlapSearch``) is left out, and the stream goes on, without a stretch of its own;
/// - of packets that are equal and prove nothing, as those of silence, as many are left out as were sent faster than
///   they were broadcast; what comes then is a stretch behind a gap;
/// - with neither all is kept, behind a gap.
///
/// A server that sends a file from its beginning anew does not go on where it was: only if it sends so much of it at
/// once that new sound comes, the overlap counts.
///
/// It takes half a second at most, and longer only while an evident overlap is about to end.
struct ConnectionJoin: Sendable {
    /// After a longer outage no overlap is looked for.
    static let reach = Duration.seconds(60)
    /// How long a connection may take to show what it is.
    static let settling = Duration.milliseconds(500)
    /// How much more of an evident overlap is waited for after that.
    static let patience = Duration.seconds(10)
    /// How many bytes, and packets, are held back at most.
    static let byteLimit: Int64 = 4 << 20
    static let unitLimit = 2 * StreamTail.limit

    private enum Verdict {
        /// More is to come before it is known.
        case wait
        /// So many packets are the overlap.
        case join(Int)
        /// All that came is kept already.
        case leave
        /// So many packets are left out in front of a stretch.
        case trim(Int)
    }

    /// What was kept last.
    private var tail = StreamTail()
    private var held: HeldStart?
    /// Whether the connection has shown nothing yet.
    private var isFresh = false

    /// Where the feed's next byte lies, as the feed counts.
    private var offset: Int64 = 0
    /// What lies before that is left out.
    private var cut: Int64 = 0
    /// How much was left out, which the feed counts, and the station's stream does not.
    private var leftBytes: Int64 = 0
    private var leftTime: Duration = .zero
    /// What was said last of what is left out.
    private var title: ICYMetadata?
    /// What was found last in headers.
    private var format: AudioFormat?
    private var tags: [AudioTagField]?

    /// When the present stretch came, held back or not.
    private(set) var stretchTime: Duration = .zero
    /// Whether something is held back.
    var isHolding: Bool { self.held != nil }

    /// A new connection's feed begins.
    ///
    /// - Parameter offset: what it counts as its first byte: the end of what is kept.
    mutating func begin(at offset: Int64) {
        self.held = nil
        self.isFresh = true
        self.offset = offset
        self.cut = 0
        self.leftBytes = 0
        self.leftTime = .zero
        self.title = nil
    }

    /// What the feed made of bytes that came.
    ///
    /// - Parameters:
    ///   - steps: in order.
    ///   - now: when.
    ///   - lastWrite: when something was kept last, if ever.
    /// - Returns: what is to be kept.
    mutating func take(
        _ steps: [FeedStep],
        now: Duration,
        lastWrite: Duration?
    ) -> [FeedStep] {
        var kept: [FeedStep] = []
        for step in steps {
            if case .stretch(let container) = step {
                // The stream becomes another before it was known how the first goes on.
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

    /// The time is over in which the connection may show what it is, or the connection is over.
    ///
    /// - Returns: what is to be kept.
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
        // Nothing in them can be told apart.
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
            // What was kept may end within a page.
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
        // A restart is one only when it goes on behind the end of what is known.
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

    /// Whether the connection would begin where the whole stretch before it began.
    private func isRestart(_ match: OverlapSearch.Match) -> Bool {
        match.alignment == 0 && self.tail.isWhole
    }

    private func remains(of match: OverlapSearch.Match, _ search: OverlapSearch) -> Duration {
        self.tail.endTime - search.next(of: match).time
    }

    // MARK: What is kept

    /// Keeps a step, or leaves it out, as it lies behind the cut or before it.
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

    /// Whether a sign says something new: where a connection goes on from the last one, its header says again what is
    /// known.
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

    /// Tells what was said last, if it was not told yet.
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

/// What is held back of a connection.
private struct HeldStart {
    var steps: [FeedStep] = []
    var tail: StreamTail
    var search: OverlapSearch
    /// When it began.
    let start: Duration
    /// Where it begins.
    let offset: Int64
    let time: Duration
    /// How long nothing was kept before.
    let outage: Duration

    /// What comes next, held back as well.
    mutating func add(_ step: FeedStep) {
        let before = self.tail.count
        self.steps.append(step)
        self.tail.add(step)
        for unit in self.tail.units.suffix(self.tail.count - before) { self.search.add(unit) }
    }

    /// Where the first packets end, of a number of them.
    func end(of count: Int) -> Int64 {
        guard count > 0 else { return self.offset }
        let last = self.search.new[count - 1]
        return last.offset + Int64(last.byteCount)
    }

    /// How long they last.
    func duration(of count: Int) -> Duration {
        let new = self.search.new
        return (count < new.count ? new[count].time : self.tail.endTime) - self.time
    }
}
