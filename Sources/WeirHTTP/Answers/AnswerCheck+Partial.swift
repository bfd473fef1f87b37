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
