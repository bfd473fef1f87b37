// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The value of an `If-Match` or `If-None-Match` field (RFC 9110 §13.1.1, §13.1.2).
///
///     If-Match   = "*" / #entity-tag
///     entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE
struct EntityTagCondition: Hashable, Sendable {
    private struct Tag: Hashable, Sendable {
        let opaque: Substring
        let isWeak: Bool
    }

    private let isAny: Bool
    private let tags: [Tag]

    /// Reads the field's value; a malformed tag, and all tags after it, match nothing.
    init(_ value: String) {
        var scanner = ASCIIScanner(value)
        scanner.skipBlanks()
        if scanner.skip(UInt8(ascii: "*")) {
            scanner.skipBlanks()
            self.isAny = scanner.isAtEnd
            self.tags = []
            return
        }
        self.isAny = false
        var tags: [Tag] = []
        repeat {
            scanner.skipBlanks()
            if scanner.peek == UInt8(ascii: ",") { continue }
            guard let tag = Self.tag(&scanner) else { break }
            tags.append(tag)
            scanner.skipBlanks()
        } while scanner.skip(UInt8(ascii: ","))
        self.tags = tags
    }

    /// The strong comparison of `If-Match`, for a resource that exists.
    func holdsStrongly(for tag: ServedEntityTag?) -> Bool {
        if self.isAny { return true }
        guard let current = tag?.opaque else { return false }
        return self.tags.contains { !$0.isWeak && $0.opaque == current }
    }

    /// The weak comparison of `If-None-Match`.
    func holdsWeakly(for tag: ServedEntityTag?) -> Bool {
        if self.isAny { return true }
        guard let current = tag?.opaque else { return false }
        return self.tags.contains { $0.opaque == current }
    }

    /// Whether an `If-Range` field (RFC 9110 §13.1.5) names the current resource.
    ///
    /// The comparison is strong. A date never matches, because no response of the proxy has a `Last-Modified` field.
    static func isCurrent(ifRange value: String, _ tag: ServedEntityTag?) -> Bool {
        guard let current = tag?.opaque else { return false }
        var scanner = ASCIIScanner(value)
        scanner.skipBlanks()
        guard let named = Self.tag(&scanner) else { return false }
        scanner.skipBlanks()
        return scanner.isAtEnd && !named.isWeak && named.opaque == current
    }

    private static func tag(_ scanner: inout ASCIIScanner) -> Tag? {
        var isWeak = false
        if scanner.skip(UInt8(ascii: "W")) {
            guard scanner.skip(UInt8(ascii: "/")) else { return nil }
            isWeak = true
        }
        guard scanner.skip(UInt8(ascii: "\"")), let opaque = scanner.text(upTo: UInt8(ascii: "\""))
        else { return nil }
        return Tag(opaque: opaque, isWeak: isWeak)
    }
}
