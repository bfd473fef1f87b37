// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The order in which people number things: `2` before `10`, case of no account.
enum NaturalOrder {
    /// Whether a name comes before another; a strict order of all names.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var (first, second) = (Array(left.lowercased())[...], Array(right.lowercased())[...])
        while let a = first.first, let b = second.first {
            if Self.isDigit(a), Self.isDigit(b) {
                let (one, other) = (Self.number(&first), Self.number(&second))
                // Numbers of any length: the longer is the larger, without zeros in front.
                guard one.count == other.count else { return one.count < other.count }
                if one != other { return one.lexicographicallyPrecedes(other) }
            } else {
                guard a == b else { return a < b }
                first = first.dropFirst()
                second = second.dropFirst()
            }
        }
        guard first.isEmpty, second.isEmpty else { return first.isEmpty }
        return Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
    }

    /// Takes a number off, and gives it without zeros in front.
    private static func number(_ text: inout ArraySlice<Character>) -> ArraySlice<Character> {
        let digits = text.prefix(while: Self.isDigit)
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == "0" }
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
