// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirSource

/// The target of a feed's seek, in the time of the section's packets.
struct MediaSeek {
    /// The feed reads up to this many bytes to an estimated offset rather than jump, at most
    /// ``mostNearby`` times.
    static let nearby: Int64 = 128 << 10
    static let mostNearby = 4
    /// The feed reads this many bytes before it estimates: the first few may be silence with
    /// another bit rate.
    static let sample: Int64 = 64 << 10

    /// The first sample to be heard.
    let target: SampleCount
    /// The first sample that is decoded.
    let preroll: SampleCount
    /// Whether packets are skipped.
    var isUnderWay = true
    /// The byte up to which reading continues without another check.
    var walkEnd: Int64 = 0
    /// How often reading continued because the target seemed near.
    var nearWalks = 0

    /// The offset of the first packet.
    let origin: Int64

    init(target: SampleCount, preroll: SampleCount, origin: Int64) {
        self.origin = origin
        self.target = target
        self.preroll = preroll
    }
}

extension MediaFeed {
    /// All packets so far were skipped: decides whether reading continues in sequence or at another
    /// offset.
    ///
    /// Known points are exact. The feed reads a nearby target from the nearest known point, and
    /// skips the packets on the way. Without byte ranges it reads every target in this way, from
    /// the current offset. For a far target the offset is estimated, and so is the position.
    ///
    /// - Returns: whether reading continues at another offset.
    func approach() async throws -> Bool {
        guard let seek = self.seek, self.parser.offset >= seek.walkEnd,
            let map = self.parser.seekMap()
        else { return false }
        guard self.hasRanges else {
            self.seek?.walkEnd = .max
            return false
        }
        let reached = self.timeline.end
        if map.isExact(for: seek.preroll) {
            guard let point = try await self.point(map, seek.preroll) else {
                self.seek?.walkEnd = .max
                return false
            }
            guard point.start > reached else {
                // Some packets are not skipped yet.
                self.seek?.walkEnd = self.parser.offset + MediaSeek.nearby
                return false
            }
            if point.precision == .exact || map.known == nil {
                try self.settle(point)
                return true
            }
        }
        var known: SeekPoint?
        if let point = map.known, point.start > reached { known = point }
        let here = known?.offset ?? self.parser.offset
        if let length = self.version?.length {
            let held = self.held.run(containing: here)
            self.seek?.walkEnd = held?.upperBound ?? 0
            if held == nil, here < length { return try await self.estimate(map, known) }
        } else {
            self.seek?.walkEnd = .max
        }
        guard let known else { return false }
        try self.jump(to: known)
        return true
    }

    /// Jumps to the estimated offset, or reads on if it is near.
    private func estimate(_ map: SeekMap, _ known: SeekPoint?) async throws -> Bool {
        guard let seek = self.seek else { return false }
        let here = known?.offset ?? self.parser.offset
        guard here >= seek.origin + MediaSeek.sample else {
            self.seek?.walkEnd = seek.origin + MediaSeek.sample
            return false
        }
        guard let point = try await self.point(map, seek.preroll) else {
            self.seek?.walkEnd = .max
            return false
        }
        if point.offset - here > MediaSeek.nearby || seek.nearWalks >= MediaSeek.mostNearby {
            guard point.offset > self.parser.offset else {
                self.seek?.walkEnd = .max
                return false
            }
            try self.settle(point)
            return true
        }
        self.seek?.nearWalks += 1
        self.seek?.walkEnd = max(point.offset, here) + MediaSeek.nearby
        guard let known else { return false }
        try self.jump(to: known)
        return true
    }

    /// Jumps to a point; the packet times from there on are as precise as the point.
    private func settle(_ point: SeekPoint) throws {
        if point.precision != .exact { self.item.precision = .approximate }
        self.seek?.walkEnd = .max
        if self.leavesPart { self.leftPart() }
        try self.jump(to: point)
    }

    /// The point for a time; `nil` if only sequential reading finds it.
    private func point(_ map: SeekMap, _ time: SampleCount) async throws -> SeekPoint? {
        var search = map.search(for: time)
        while true {
            switch search.step {
            case .read(let range): search.read(try await self.bytes(in: range))
            case .found(let point):
                self.parser.adopt(search)
                self.leavesPart = search.leavesPart
                return search.isLost ? nil : point
            }
        }
    }
}

/// The facts learned about a medium during reading, for the next reading: one memory for each item
/// of a player.
final class ItemMemory: Sendable {
    private let learned = Mutex<(version: ReadDemand.Version, frames: LearnedFrames)?>(nil)

    /// The facts about a version; `nil` for another version, or if nothing was learned.
    func frames(of version: ReadDemand.Version) -> LearnedFrames? {
        self.learned.withLock { $0?.version == version ? $0?.frames : nil }
    }

    /// Keeps the facts, unless more is known: a cancelled reading may end after the next one has
    /// begun.
    func keep(_ frames: LearnedFrames, of version: ReadDemand.Version) {
        self.learned.withLock { learned in
            if let known = learned, known.version == version,
                known.frames.countedEnd > frames.countedEnd
            {
                return
            }
            learned = (version, frames)
        }
    }
}
