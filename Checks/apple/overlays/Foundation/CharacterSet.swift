// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

public struct CharacterSet: Hashable, Sendable {
    public static var whitespaces: CharacterSet { unseen() }
    public static var whitespacesAndNewlines: CharacterSet { unseen() }
}

extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String { unseen() }
}
