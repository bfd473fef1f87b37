// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension AnswerCheck {
    /// Judges a 200, which sends the whole resource whatever the request asked for.
    ///
    /// A server may ignore a `Range` (RFC 9110 §14.2), and must do so if the `If-Range` does not
    /// match. The validator and the length of the response tell the two cases apart. Weir decodes a
    /// coded body: its length then counts coded bytes, so the resource has no known length and no
    /// ranges.
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
                        "the whole, without its length, instead of the end",
                        status: 200
                    )
            )
        }
        if wanted.upperBound == wanted.lowerBound {
            return .empty(description, at: wanted.lowerBound)
        }
        if self.takesWhole, description.acceptsRanges == false {
            // The reader compares the whole resource with its held bytes, unless a validator proves
            // that both are the same version.
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
                    "the whole instead of a range that starts at byte \(wanted.lowerBound), which is too far to skip"
                        + " to",
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

    /// Judges a 200 with a `Content-Range`.
    ///
    /// RFC 9110 §14.4 gives this field no meaning in a 200, but some servers send a part with it.
    ///
    /// - Parameters:
    ///   - head: the head.
    ///   - value: the field's value.
    ///   - length: the length of the body, if the head gives it.
    /// - Returns: `nil` if the field does not make the body a part: it names the whole resource, no
    ///   bytes, another unit or a stream without an end.
    private func verdict(onWhole head: AnswerHead, naming value: String, length: Int64?)
        -> AnswerVerdict?
    {
        let span: ContentRange
        do throws(ContentRange.FieldError) {
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

    /// The bounds of the requested range in a resource of this length; `nil` if it has no such
    /// range.
    private func wanted(length: Int64?) -> (lowerBound: Int64, upperBound: Int64?)? {
        if let length {
            return self.range.resolved(inLength: length).map { ($0.lowerBound, $0.upperBound) }
        }
        return self.range.knownLowerBound.map { ($0, self.range.knownUpperBound) }
    }

    /// Whether the origin may serve a later range request.
    ///
    /// `false` if the host refused a range, or ignored a range that was not the whole resource.
    /// Else `Accept-Ranges` decides (RFC 9110 §14.3); without that field `nil`.
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
