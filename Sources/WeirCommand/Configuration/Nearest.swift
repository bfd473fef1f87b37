// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds what somebody meant who has mistyped a name.
enum Nearest {
    /// Nobody types longer names than these.
    private static let longestName = 64

    /// The name that differs least, if it differs in no more than a third of its letters.
    ///
    /// A letter that is wrong, missing or too many counts as one difference, as do two that have
    /// changed places; case does not count. Of equals the first wins.
    static func name(to typed: String, among names: [String]) -> String? {
        let typed = Array(typed.lowercased())
        guard typed.count <= self.longestName else { return nil }
        var best: (name: String, distance: Int)?
        for name in names where name.count <= self.longestName {
            let letters = Array(name.lowercased())
            let distance = self.distance(typed, letters)
            let limit = max(typed.count, letters.count) / 3
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// The optimal string alignment distance.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var older = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for i in 1...left.count {
            var row = [Int](repeating: i, count: right.count + 1)
            for j in 1...right.count {
                let isSame = left[i - 1] == right[j - 1]
                row[j] = min(
                    previous[j] + 1,
                    row[j - 1] + 1,
                    previous[j - 1] + (isSame ? 0 : 1)
                )
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], older[j - 2] + 1)
                }
            }
            older = previous
            previous = row
        }
        return previous[right.count]
    }
}
