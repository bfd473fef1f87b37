// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

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
        guard let span = ContentRange(value), let bytes = span.range else {
            return .refused(self.badAnswer("a Content-Range that cannot be read", status: 206))
        }
        guard let announced = head.contentLength else {
            return .refused(self.badAnswer("a Content-Length that is no number", status: 206))
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
            return .refused(self.badAnswer("a Content-Range that cannot be read", status: 206))
        }
        if let refusal = self.pinRefusal(head, total: span.total) { return .refused(refusal) }
        let length = span.total ?? self.pin?.length
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
                self.badAnswer(
                    "bytes from \(bytes.lowerBound) where bytes from \(lower) were asked for",
                    status: head.status
                )
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

    /// Why the answer cannot belong to the pinned generation, if it cannot.
    func pinRefusal(_ head: AnswerHead, total: Int64?) -> SourceError? {
        if let vouchedTag, let tag = head.entityTag, tag.contradicts(vouchedTag) {
            return self.changed("now shows another entity tag", status: head.status)
        }
        guard let pin else { return nil }
        if let known = pin.length, let total, known != total {
            return self.changed("now has \(total) bytes instead of \(known)", status: head.status)
        }
        // What a service vouches for was compared before the request was sent.
        if self.vouched?.validator != nil { return nil }
        if let validator = pin.validator, !head.shows(validator, length: total) {
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
}
