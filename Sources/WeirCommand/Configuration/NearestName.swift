// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the known name nearest to a mistyped one.
extension [String] {
    /// The length of the longest name that is compared.
    private static var longestName: Int { 64 }

    /// The nearest name, if it differs in at most a third of its letters.
    ///
    /// A wrong, a missing or an additional letter counts as one difference, and so do two swapped letters. Case
    /// does not count. Of equally near names the first wins.
    func nearest(to typed: String) -> String? {
        let typed = [Character](typed.lowercased())
        guard typed.count <= Self.longestName else { return nil }
        var best: (name: String, distance: Int)?
        for name in self where name.count <= Self.longestName {
            let letters = [Character](name.lowercased())
            let distance = Self.distance(typed, letters)
            let limit = Swift.max(typed.count, letters.count) / 3
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// The optimal string alignment distance.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return Swift.max(left.count, right.count) }
        var older = [Int](repeating: 0, count: right.count + 1)
        var previous = [Int](0...right.count)
        for i in 1...left.count {
            var row = [Int](repeating: i, count: right.count + 1)
            for j in 1...right.count {
                let isSame = left[i - 1] == right[j - 1]
                row[j] = Swift.min(
                    previous[j] + 1,
                    row[j - 1] + 1,
                    previous[j - 1] + (isSame ? 0 : 1)
                )
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = Swift.min(row[j], older[j - 2] + 1)
                }
            }
            older = previous
            previous = row
        }
        return previous[right.count]
    }
}
