// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension AnswerCheck {
    /// Judges a 200: the whole resource, whatever was asked for.
    ///
    /// A server may ignore a `Range` (RFC 9110 §14.2), and must if the `If-Range` does not hold. The
    /// answer's own validator and length tell the two apart. A coding is taken off: then the length counts coded bytes,
    /// and the resource is one without a known length and without ranges.
    func verdict(onWhole head: AnswerHead) -> AnswerVerdict {
        let bodyCoding = self.coding(of: head)
        if bodyCoding == .foreign { return .refused(self.codingRefusal(head)) }
        guard var announced = head.contentLength else { return .refused(self.noLength(head)) }
        var coding: ContentCoding?
        if case .coded(let known) = bodyCoding { (coding, announced) = (known, nil) }
        if let value = head.contentRange,
            let verdict = self.verdict(onWhole: head, naming: value, length: announced)
        {
            return verdict
        }
        if let refusal = self.pinRefusal(head, total: announced) { return .refused(refusal) }
        if self.isConditional, head.entityTag?.isBare == true,
            self.range.knownLowerBound != 0
        {
            return .askWithoutCondition
        }
        let length = announced ?? self.knownLength
        let isTypedAsPage = self.isPage(head.mediaType)
        var description = self.description(
            of: head,
            length: length,
            mediaType: isTypedAsPage ? nil : head.mediaType
        )
        description.acceptsRanges = coding == nil ? self.acceptsRanges(head, length: length) : false
        guard let wanted = self.wanted(length: length) else {
            return .refused(
                length.map { self.pastTheEnd(self.range, length: $0) }
                    ?? self.badAnswer(
                        "the whole, without its length, where the end was asked for",
                        status: 200
                    )
            )
        }
        if wanted.upperBound == wanted.lowerBound {
            return .empty(description, at: wanted.lowerBound)
        }
        if self.takesWhole, description.acceptsRanges == false {
            // The reader of the whole compares it with the bytes that it holds, where no validator vouches for it.
            return .accepted(
                AcceptedAnswer(
                    description: description,
                    bodyLowerBound: 0,
                    bodyUpperBound: length,
                    lowerBound: 0,
                    upperBound: length,
                    coversWhole: true,
                    isTypedAsPage: isTypedAsPage,
                    coding: coding
                )
            )
        }
        if let version, version.validator == nil, length == nil, wanted.lowerBound > 0 {
            return .refused(self.unjoinable(at: wanted.lowerBound))
        }
        guard wanted.lowerBound <= self.maximumDiscard else {
            return .refused(
                self.badAnswer(
                    "the whole instead of a range that starts at byte \(wanted.lowerBound), too far to"
                        + " read up to",
                    status: 200
                )
            )
        }
        return .accepted(
            AcceptedAnswer(
                description: description,
                bodyLowerBound: 0,
                bodyUpperBound: length,
                lowerBound: wanted.lowerBound,
                upperBound: wanted.upperBound,
                isTypedAsPage: isTypedAsPage,
                coding: coding
            )
        )
    }

    /// Judges a 200 with a `Content-Range`, which RFC 9110 §14.4 gives no meaning and some servers send with a part.
    ///
    /// - Parameters:
    ///   - head: the head.
    ///   - value: the field's value.
    ///   - length: how long the body is, if the head says so.
    /// - Returns: `nil` if the field names all of the whole, or no bytes.
    private func verdict(onWhole head: AnswerHead, naming value: String, length: Int64?)
        -> AnswerVerdict?
    {
        let span: ContentRange
        do throws(ContentRange.Defect) {
            span = try ContentRange(parsing: value, bodyLength: length)
        } catch {
            guard error != .otherUnit, error != .endless else { return nil }
            return .refused(self.badAnswer(self.words(error, value), status: head.status))
        }
        guard let bytes = span.range else {
            guard let total = span.total, let length, length != total else { return nil }
            return .refused(
                self.badAnswer(
                    "Content-Length: \(length) with Content-Range: \(span)",
                    status: head.status
                )
            )
        }
        let isWhole = bytes.lowerBound == 0 && bytes.upperBound == span.total
        if isWhole, length ?? bytes.upperBound == bytes.upperBound { return nil }
        return self.verdict(onPartial: head)
    }

    /// The bounds of what was asked for, in a resource of this length; `nil` where there are none.
    private func wanted(length: Int64?) -> (lowerBound: Int64, upperBound: Int64?)? {
        if let length {
            return self.range.resolved(inLength: length).map { ($0.lowerBound, $0.upperBound) }
        }
        return self.range.knownLowerBound.map { ($0, self.range.knownUpperBound) }
    }

    /// Whether ranges are worth another try: no if one was refused, or ignored that was not the whole, else what
    /// `Accept-Ranges` says (RFC 9110 §14.3), `nil` if it says nothing.
    private func acceptsRanges(_ head: AnswerHead, length: Int64?) -> Bool? {
        if self.isRangeRefused, length != 0 { return false }
        if self.isRanged, self.range != .whole {
            guard let length, self.range.resolved(inLength: length) == 0..<length else {
                return false
            }
        }
        let units = head.headers.tokens(of: "Accept-Ranges")
        guard !units.isEmpty else { return nil }
        return units.contains("bytes")
    }
}
