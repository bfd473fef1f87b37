// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The strong entity tag that a resource is served under (RFC 9110 §8.8.3).
///
///     entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE
///     etagc      = %x21 / %x23-7E / obs-text
enum EntityTag: Hashable, Sendable {
    /// The origin's own, with its quotes: the bytes are passed on as they came.
    case origin(String)
    /// The generation's name: the origin identifies the bytes otherwise, or they are decrypted.
    case generation(GenerationID)

    /// The most bytes of an origin's tag that is passed on.
    static let maximumSize = 256

    /// The tag of a resource.
    ///
    /// - Returns: `nil` for a resource that nothing strong identifies: of two versions that were taken for one a tag would
    ///   say that they are the same.
    init?(_ description: ResourceDescription) {
        switch description.validator {
        case .entityTag(let tag) where Self.isSendable(tag):
            self = .origin(tag)
        case .some:
            guard let generation = description.generation else { return nil }
            self = .generation(generation)
        case nil:
            return nil
        }
    }

    /// What stands between the quotes.
    var opaque: Substring {
        switch self {
        case .origin(let tag): tag.dropFirst().dropLast()
        case .generation(let generation): Substring(generation.description)
        }
    }

    /// The most bytes that the tag takes with its quotes.
    var size: Int {
        switch self {
        case .origin(let tag): tag.utf8.count
        case .generation: 18
        }
    }

    /// Whether a tag can stand in a field as it is: it came from outside.
    private static func isSendable(_ tag: String) -> Bool {
        let bytes = tag.utf8
        guard (2...Self.maximumSize).contains(bytes.count), bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return false }
        return bytes.dropFirst().dropLast().allSatisfy {
            $0 == 0x21 || (0x23...0x7E).contains($0)
        }
    }
}

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

    /// Reads the field's value; what is malformed, and what follows it, matches nothing.
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

    /// The strong comparison, of `If-Match`, with a resource that there is.
    func holdsStrongly(for tag: EntityTag?) -> Bool {
        if self.isAny { return true }
        guard let current = tag?.opaque else { return false }
        return self.tags.contains { !$0.isWeak && $0.opaque == current }
    }

    /// The weak comparison, of `If-None-Match`.
    func holdsWeakly(for tag: EntityTag?) -> Bool {
        if self.isAny { return true }
        guard let current = tag?.opaque else { return false }
        return self.tags.contains { $0.opaque == current }
    }

    /// Whether an `If-Range` field (RFC 9110 §13.1.5) names the resource as it is.
    ///
    /// Compared strongly; a date never does, since no answer of ours holds a `Last-Modified` field.
    static func isCurrent(ifRange value: String, _ tag: EntityTag?) -> Bool {
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
