// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// What an origin has been seen to do with entity tags, which decides how it is asked again.
struct OriginCapabilities: Hashable {
    /// It sends tags without quotes, so it may not know them again in quotes.
    var sendsBareTags = false
    /// It sends weak tags: then a date must not be used as a condition either (RFC 9110 §13.1.5).
    var sendsWeakTags = false

    mutating func observed(_ head: AnswerHead) {
        guard let tag = head.entityTag else { return }
        if tag.isBare { self.sendsBareTags = true }
        if tag.isWeak { self.sendsWeakTags = true }
    }

    /// What another question has seen, too.
    mutating func learned(_ other: OriginCapabilities) {
        self.sendsBareTags = self.sendsBareTags || other.sendsBareTags
        self.sendsWeakTags = self.sendsWeakTags || other.sendsWeakTags
    }

    /// The value of `If-Range` that holds a continuation to a validator, or `nil` where the field would
    /// do harm; the answer's own validator is compared in any case.
    func condition(for validator: Validator?) -> String? {
        switch validator {
        case .entityTag(let tag):
            tag.utf8.first == UInt8(ascii: "\"") && !self.sendsBareTags ? tag : nil
        case .lastModified(let date, length: _):
            self.sendsWeakTags ? nil : date
        case .revision, nil:
            nil
        }
    }
}
