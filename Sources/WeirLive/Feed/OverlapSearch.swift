// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Looks for the end of a stretch in what a new connection begins with.
///
/// An overlap is where the last packets of the old connection are the first of the new one, as many as both have:
///
///     old   … a b c d e f g
///     new         c d e f g h i …     the overlap ends before h
///
/// The new connection may begin before all that is known of the old one, and with a packet or three that are none. Few
/// equal packets prove nothing, since silence has one or two forms: two when padding alternates. Only an overlap of
/// three different packets is evident; a page of Ogg has a number, and so has a frame of FLAC, so that one is enough.
struct OverlapSearch: Sendable {
    /// A way in which the two may lie on each other.
    struct Match: Hashable, Sendable {
        /// Which of the old packets the new connection's first would be; below zero if it began before them.
        var alignment: Int
        /// From which of the new packets on they are equal.
        var first: Int
    }

    /// How many of the first packets may be none: what is left of one that was cut may look like one.
    private static let lead = 3

    private let old: [StreamUnit]
    private let isNumbered: Bool
    /// The packets of the new connection.
    private(set) var new: [StreamUnit] = []
    /// What is equal so far, and has not reached the end of the old connection.
    private(set) var open: [Match] = []
    /// What has, and how many of the new packets that were.
    private(set) var complete: [(match: Match, count: Int)] = []

    /// Where the longest end of `new[...i]` with at most two different packets begins, for each i.
    private var plainStarts: [Int] = []
    /// The last two packets that differ, and since when only the second of them has come.
    private var other: StreamUnit?
    private var runStart = 0

    /// - Parameters:
    ///   - old: the last packets of the old connection.
    ///   - isNumbered: whether each differs from all others.
    init(_ old: [StreamUnit], isNumbered: Bool) {
        self.old = old
        self.isNumbered = isNumbered
    }

    /// The next packet of the new connection.
    mutating func add(_ unit: StreamUnit) {
        let index = self.new.count
        self.note(unit)
        self.new.append(unit)
        self.open.removeAll { !self.old[$0.alignment + index].isSame(as: unit) }
        if index <= Self.lead {
            let known = Set(self.open.map(\.alignment))
            for place in self.old.indices where self.old[place].isSame(as: unit) {
                guard !known.contains(place - index) else { continue }
                self.open.append(Match(alignment: place - index, first: index))
            }
        } else if self.old.first?.isSame(as: unit) == true {
            self.open.append(Match(alignment: -index, first: index))
        }
        // They end in the order of their lengths.
        for match in self.open where match.alignment + index == self.old.count - 1 {
            self.complete.append((match, index + 1))
        }
        self.open.removeAll { $0.alignment + index == self.old.count - 1 }
    }

    private mutating func note(_ unit: StreamUnit) {
        let index = self.new.count
        let start = self.plainStarts.last ?? 0
        guard let last = self.new.last, !last.isSame(as: unit) else {
            return self.plainStarts.append(start)
        }
        let isThird = self.other.map { !$0.isSame(as: unit) } ?? false
        self.plainStarts.append(isThird ? self.runStart : start)
        self.other = last
        self.runStart = index
    }

    /// Whether it can hardly be chance that packets are equal.
    ///
    /// - Parameters:
    ///   - match: how they lie on each other.
    ///   - count: before which of the new packets they end; `nil`: all that have come are equal.
    /// - Returns: whether three of them differ, or any has a number.
    func isEvident(_ match: Match, count: Int? = nil) -> Bool {
        let count = count ?? self.new.count
        guard !self.isNumbered else { return count > match.first }
        return count > 0 && match.first < self.plainStarts[count - 1]
    }

    /// The old packet that the next of the new connection would be, as an open match says.
    func next(of match: Match) -> StreamUnit {
        self.old[match.alignment + self.new.count]
    }

    /// How many of the first packets are as the last of the old connection, in its last two forms.
    var plainCount: Int {
        guard !self.isNumbered, let last = self.old.last else { return 0 }
        let other = self.old.last { !$0.isSame(as: last) } ?? last
        return self.new.prefix { $0.isSame(as: last) || $0.isSame(as: other) }.count
    }
}
