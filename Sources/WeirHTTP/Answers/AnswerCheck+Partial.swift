// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension AnswerCheck {
    /// Judges a 206.
    func verdict(onPartial head: AnswerHead) -> AnswerVerdict {
        guard self.isRanged else {
            return .refused(self.badAnswer("a part where the whole was asked for", status: 206))
        }
        if let refusal = self.codingRefusal(head) { return .refused(refusal) }
        if let boundary = head.byterangesBoundary { return .multipart(boundary: boundary) }
        guard let value = head.headers["Content-Range"] else {
            return .refused(self.badAnswer("a part without Content-Range", status: 206))
        }
        let span: ContentRange
        do throws(ContentRange.Defect) { span = try ContentRange(parsing: value) } catch {
            return .refused(self.badAnswer(self.words(error), status: 206))
        }
        guard let bytes = span.range else {
            return .refused(self.badAnswer("a Content-Range without a range", status: 206))
        }
        guard let announced = head.contentLength else {
            return .refused(self.badAnswer("a Content-Length that no resource has", status: 206))
        }
        if let announced, announced != bytes.upperBound - bytes.lowerBound {
            return .refused(
                self.badAnswer(
                    "a Content-Length of \(announced) with a Content-Range of"
                        + " \(bytes.upperBound - bytes.lowerBound) bytes",
                    status: 206
                )
            )
        }
        return self.verdict(onSpan: span, mediaType: head.mediaType, of: head)
    }

    /// Judges what a `Content-Range` says, in the head of an answer or of its part.
    func verdict(onSpan span: ContentRange, mediaType: MediaType?, of head: AnswerHead)
        -> AnswerVerdict
    {
        guard let bytes = span.range else {
            return .refused(self.badAnswer("a Content-Range without a range", status: 206))
        }
        if let refusal = self.pinRefusal(head, total: span.total) { return .refused(refusal) }
        let length = span.total ?? self.version?.length
        if let length, bytes.upperBound > length {
            return .refused(
                self.changed("has bytes past its known end at \(length)", status: head.status)
            )
        }
        if self.isPage(mediaType) { return .refused(self.page(status: head.status)) }
        let lower: Int64
        if let known = self.range.knownLowerBound {
            lower = known
        } else if let length, let resolved = self.range.resolved(inLength: length) {
            lower = resolved.lowerBound
        } else {
            return .refused(
                self.badAnswer("the end of the resource without its length", status: head.status)
            )
        }
        guard bytes.lowerBound == lower else {
            return .refused(
                self.badAnswer(Self.wrongStart(bytes.lowerBound, asked: lower), status: head.status)
            )
        }
        var description = self.description(of: head, length: length, mediaType: mediaType)
        description.acceptsRanges = true
        var upper = length
        if let asked = self.range.knownUpperBound { upper = min(asked, length ?? asked) }
        return .accepted(
            AcceptedAnswer(
                description: description,
                bodyLowerBound: bytes.lowerBound,
                bodyUpperBound: bytes.upperBound,
                lowerBound: lower,
                upperBound: upper
            )
        )
    }

    /// What is wrong with a `Content-Range`: its start, if that alone is another one than was asked for.
    func words(_ defect: ContentRange.Defect) -> String {
        switch defect {
        case .inverted(let first, let last):
            if let asked = self.range.knownLowerBound, asked != first {
                return Self.wrongStart(first, asked: asked)
            }
            return
                "a Content-Range that starts at byte \(first) and ends at byte \(last), before it"
        case .pastTotal(let first, let last, let total):
            if let asked = self.range.knownLowerBound, asked != first {
                return Self.wrongStart(first, asked: asked)
            }
            return "a Content-Range up to byte \(last) of \(total) bytes in all"
        case .otherUnit:
            return "a Content-Range that does not count bytes"
        case .unreadable:
            return "a Content-Range that cannot be read"
        }
    }

    private static func wrongStart(_ start: Int64, asked: Int64) -> String {
        "bytes from \(start) where bytes from \(asked) were asked for"
    }

    /// Why the answer cannot belong to the version that is read, if it cannot.
    func pinRefusal(_ head: AnswerHead, total: Int64?) -> SourceError? {
        if let vouchedTag, let tag = head.entityTag, tag.contradicts(vouchedTag) {
            return self.changed("now shows another entity tag", status: head.status)
        }
        guard let version else { return nil }
        if let known = version.length, let total, known != total {
            return self.changed("now has \(total) bytes instead of \(known)", status: head.status)
        }
        // What a service vouches for was compared before the request was sent.
        if self.vouched?.validator != nil { return nil }
        if let validator = version.validator, !head.shows(validator, length: total) {
            return self.changed("no longer shows the validator it had", status: head.status)
        }
        return nil
    }

    /// Why the bytes are not the resource's own, if they are not (`Accept-Encoding: identity` was sent).
    func codingRefusal(_ head: AnswerHead) -> SourceError? {
        guard let coding = head.unwantedCodings.first else { return nil }
        let isKnown = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress"].contains(coding)
        return self.badAnswer(
            "bytes in the coding \(isKnown ? coding : "of an unknown kind") that was not asked for",
            status: head.status
        )
    }

    /// Whether a page for a browser came where the address does not speak of one.
    func isPage(_ type: MediaType?) -> Bool {
        type?.isHTML == true && !self.expectsPage
    }

    /// Whether the address itself names a page.
    var expectsPage: Bool {
        ["html", "htm", "xhtml", "shtml"].contains(self.resource.fileExtension ?? "")
    }

    /// Judges a 200: the whole resource, whatever was asked for.
    ///
    /// A server may ignore a `Range` (RFC 9110 §14.2), and must if the `If-Range` does not hold. The
    /// answer's own validator and length tell the two apart.
    func verdict(onWhole head: AnswerHead) -> AnswerVerdict {
        if let refusal = self.codingRefusal(head) { return .refused(refusal) }
        guard let announced = head.contentLength else {
            return .refused(
                self.badAnswer("a Content-Length that no resource has", status: head.status)
            )
        }
        if self.isPage(head.mediaType) { return .refused(self.page(status: head.status)) }
        if let refusal = self.pinRefusal(head, total: announced) { return .refused(refusal) }
        if self.isConditional, head.entityTag?.isBare == true,
            self.range.knownLowerBound != 0
        {
            return .askWithoutCondition
        }
        let length = announced ?? self.version?.length
        var description = self.description(of: head, length: length, mediaType: head.mediaType)
        description.acceptsRanges = self.acceptsRanges(head, length: length)
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
                    coversWhole: true
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
                upperBound: wanted.upperBound
            )
        )
    }

    /// The bounds of what was asked for, in a resource of this length; `nil` where there are none.
    private func wanted(length: Int64?) -> (lowerBound: Int64, upperBound: Int64?)? {
        if let length {
            return self.range.resolved(inLength: length).map { ($0.lowerBound, $0.upperBound) }
        }
        return self.range.knownLowerBound.map { ($0, self.range.knownUpperBound) }
    }

    /// Whether ranges are worth another try: no if one was ignored that was not the whole, else what
    /// `Accept-Ranges` says (RFC 9110 §14.3), `nil` if it says nothing.
    private func acceptsRanges(_ head: AnswerHead, length: Int64?) -> Bool? {
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
