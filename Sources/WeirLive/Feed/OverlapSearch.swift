// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Looks for the end of an old stretch in the beginning of a new connection.
///
/// In an overlap, the last packets of the old connection are the first packets of the new one:
///
///     old   … a b c d e f g
///     new         c d e f g h i …     the overlap ends before h
///
/// The new connection may begin with packets that are older than all known packets of the old one.
/// Its first three packets may also be fragments. A few equal packets prove nothing: all packets of
/// silence are equal, or alternate between two forms because of padding. Only an overlap of three
/// different packets is evident. A page of Ogg or a frame of FLAC has a number, so one equal page
/// or frame is enough.
struct OverlapSearch: Sendable {
    /// A possible alignment of the two connections.
    struct Match: Hashable, Sendable {
        /// The index of the old packet that matches the new connection's first packet.
        ///
        /// It is negative if the new connection begins before the known old packets.
        var alignment: Int
        /// The index of the new packet from which on all packets are equal.
        var first: Int
    }

    /// How many of the first packets may be fragments: the rest of a cut packet may look like a
    /// packet.
    private static let lead = 3

    private let old: [StreamUnit]
    private let isNumbered: Bool
    /// The packets of the new connection.
    private(set) var new: [StreamUnit] = []
    /// The matches that are equal so far and have not reached the end of the old connection.
    private(set) var open: [Match] = []
    /// The matches that have reached the end of the old connection, and how many new packets they
    /// took.
    private(set) var complete: [(match: Match, count: Int)] = []

    /// For each i: the start of the longest run of new packets that ends at i and has at most two
    /// different packets.
    private var plainStarts: [Int] = []
    /// The packet before the last run of equal packets, and the start of that run.
    private var other: StreamUnit?
    private var runStart = 0

    /// Searches for the end of an old connection.
    ///
    /// - Parameters:
    ///   - old: the last packets of the old connection.
    ///   - isNumbered: whether each packet differs from all others.
    init(_ old: [StreamUnit], isNumbered: Bool) {
        self.old = old
        self.isNumbered = isNumbered
    }

    /// Adds the next packet of the new connection.
    mutating func add(_ unit: StreamUnit) {
        let index = self.new.count
        self.note(unit)
        self.new.append(unit)
        self.open.removeAll { !self.old[$0.alignment + index].isSame(as: unit) }
        if index <= Self.lead {
            let known = Set(self.open.map(\.alignment))
            for position in self.old.indices where self.old[position].isSame(as: unit) {
                guard !known.contains(position - index) else { continue }
                self.open.append(Match(alignment: position - index, first: index))
            }
        } else if self.old.first?.isSame(as: unit) == true {
            self.open.append(Match(alignment: -index, first: index))
        }
        // Longer overlaps end later, so the list stays in order.
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

    /// Whether the equal packets are almost certainly no coincidence.
    ///
    /// - Parameters:
    ///   - match: the alignment.
    ///   - count: how many new packets the match covers; `nil`: all that have arrived.
    /// - Returns: whether three different packets are equal in both connections, or one with a
    ///   number.
    func isEvident(_ match: Match, count: Int? = nil) -> Bool {
        let count = count ?? self.new.count
        guard !self.isNumbered else { return count > match.first }
        return count > 0 && match.first < self.plainStarts[count - 1]
    }

    /// The old packet that an open match expects as the next packet of the new connection.
    func next(of match: Match) -> StreamUnit {
        self.old[match.alignment + self.new.count]
    }

    /// How many of the first new packets equal the last old packet, or the last old packet that
    /// differs from it.
    ///
    /// 0 if the packets have numbers.
    var plainCount: Int {
        guard !self.isNumbered, let last = self.old.last else { return 0 }
        let other = self.old.last { !$0.isSame(as: last) } ?? last
        return self.new.prefix { $0.isSame(as: last) || $0.isSame(as: other) }.count
    }
}
