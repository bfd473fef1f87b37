// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Compares two long sequences.
///
/// A failed expectation then names the difference, and does not print two megabytes:
/// `#expect(firstDifference(heard, expected) == nil)`.
///
/// - Parameters:
///   - found: the actual sequence.
///   - expected: the expected sequence.
/// - Returns: the first difference, in words; `nil` if the sequences are the same.
package func firstDifference<Element: Equatable>(
    _ found: some Sequence<Element>,
    _ expected: some Sequence<Element>
) -> String? {
    var (found, expected) = (found.makeIterator(), expected.makeIterator())
    var index = 0
    while true {
        switch (found.next(), expected.next()) {
        case (nil, nil): return nil
        case (let left?, let right?) where left == right: index += 1
        case (let left?, let right?): return "at \(index): \(left), where \(right) was expected"
        case (let left?, nil): return "at \(index): \(left), where the end was expected"
        case (nil, let right?): return "at \(index): the end, where \(right) was expected"
        }
    }
}
