// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes from origins and to players, second by second.
struct TrafficHistory: Sendable {
    /// How many seconds are kept.
    static let capacity = 300
    /// The longest gap between two calls, in seconds; after a longer one, the history begins again.
    static let longestGap: Int64 = 10

    private var last: (second: Int64, totals: [Int64])?
    /// Bytes in each second that has ended, the oldest first.
    private(set) var seconds: [[Int64]] = []

    /// Records the totals at a time.
    ///
    /// New bytes are divided evenly among the seconds since the last call.
    ///
    /// - Parameters:
    ///   - totals: bytes since the program began; a total that is smaller than before adds no
    ///     bytes.
    ///   - time: the time since a fixed start.
    /// - Returns: the seconds that have ended since the last call.
    mutating func note(_ totals: [Int64], at time: Duration) -> [[Int64]] {
        let second = time.components.seconds
        guard let last = self.last, second - last.second <= Self.longestGap else {
            self.last = (second, totals)
            self.seconds = []
            return []
        }
        let count = second - last.second
        guard count > 0 else { return [] }
        let parts = zip(totals, last.totals).map { max(0, $0 - $1) / count }
        let ended = [[Int64]](repeating: parts, count: Int(count))
        self.last = (second, zip(totals, last.totals).map { max($0, $1) })
        self.seconds = (self.seconds + ended).suffix(Self.capacity)
        return ended
    }
}
