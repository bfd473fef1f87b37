// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Characters that stand for something else in XML.
enum XMLText {
    private static let entities = [
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;"),
    ]

    static func escaped(_ text: String) -> String {
        self.entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    static func unescaped(_ text: String) -> String {
        self.entities.reversed().reduce(text) { $0.replacing($1.1, with: $1.0) }
    }
}
