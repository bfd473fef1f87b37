// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension AnswerCheck {
    /// Judges a 206, or a 200 that names a part.
    ///
    /// The part may begin earlier and end later than the requested range. Its `Content-Range` gives
    /// the position of its bytes, and the reader skips the bytes outside the range.
    func verdict(onPartial head: AnswerHead) -> AnswerVerdict {
        guard self.isRanged else {
            return .refused(
                self.badAnswer("a part instead of the whole", status: head.status)
            )
        }
        switch self.coding(of: head) {
        case .plain: break
        // The range counts coded bytes, but the reader needs the decoded bytes of the resource.
        case .coded: return .askWithoutRange
        case .foreign: return .refused(self.codingRefusal(head))
        }
        if let boundary = head.byterangesBoundary { return .multipart(boundary: boundary) }
        // Without a `Content-Range`, the position of the bytes is unknown.
        guard let value = head.contentRange else { return .askWithoutRange }
        guard let announced = head.contentLength else { return .refused(self.noLength(head)) }
        let span: ContentRange
        do throws(ContentRange.FieldError) {
            span = try ContentRange(parsing: value, bodyLength: announced)
        } catch {
            // A stream without an end has no parts. A request without a range gets the stream
            // itself.
            if error == .endless, head.status == 206 { return .askWithoutRange }
            return .refused(self.badAnswer(self.words(error, value), status: head.status))
        }
        if let announced, let bytes = span.range,
            announced != bytes.upperBound - bytes.lowerBound
        {
            return .refused(
                self.badAnswer(
                    "Content-Length: \(announced) with Content-Range: \(span)",
                    status: head.status
                )
            )
        }
        return self.verdict(onSpan: span, mediaType: head.mediaType, of: head)
    }

    /// Judges a `Content-Range` in the head of a response or of a part.
    func verdict(onSpan span: ContentRange, mediaType: MediaType?, of head: AnswerHead)
        -> AnswerVerdict
    {
        guard let bytes = span.range else {
            return .refused(
                self.badAnswer("Content-Range: \(span), which names no bytes", status: head.status)
            )
        }
        if let refusal = self.pinRefusal(head, total: span.total) { return .refused(refusal) }
        let length = span.total ?? self.knownLength
        if let length, bytes.upperBound > length {
            return .refused(
                self.changed("has bytes past its known end at \(length)", status: head.status)
            )
        }
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
        guard bytes.contains(lower), lower - bytes.lowerBound <= self.maximumDiscard else {
            return .refused(self.badAnswer(Self.misses("\(span)", lower), status: head.status))
        }
        let isTypedAsPage = self.isPage(mediaType)
        var description = self.description(
            of: head,
            length: length,
            mediaType: isTypedAsPage ? nil : mediaType
        )
        description.acceptsRanges = true
        var upper = length
        if let asked = self.range.knownUpperBound { upper = min(asked, length ?? asked) }
        return .accepted(
            AcceptedAnswer(
                description: description,
                bodyLowerBound: bytes.lowerBound,
                bodyUpperBound: bytes.upperBound,
                lowerBound: lower,
                upperBound: upper,
                isTypedAsPage: isTypedAsPage
            )
        )
    }

    /// Describes the defect of a `Content-Range`.
    ///
    /// If the range starts behind the first requested byte, the text says so instead.
    func words(_ defect: ContentRange.FieldError, _ value: String) -> String {
        let field = Self.shown("Content-Range", value)
        switch defect {
        case .inverted(let first, _), .pastTotal(let first, _, _):
            if let asked = self.range.knownLowerBound, asked < first {
                return Self.misses(Self.printable(value), asked)
            }
            return "\(field), which contradicts itself"
        case .otherUnit:
            return "\(field), which does not count bytes"
        case .unreadable, .endless:
            return "\(field), which cannot be read"
        }
    }

    private static func misses(_ value: String, _ asked: Int64) -> String {
        "Content-Range: \(value) although bytes from \(asked) were requested"
    }

    /// The error if the response cannot belong to the version that is being read; else `nil`.
    func pinRefusal(_ head: AnswerHead, total: Int64?) -> SourceError? {
        if let vouchedTag, let tag = head.entityTag, tag.contradicts(vouchedTag) {
            return self.changed("now has another entity tag", status: head.status)
        }
        guard let version else { return nil }
        if let known = version.length, let total, known != total {
            return self.changed("now has \(total) bytes instead of \(known)", status: head.status)
        }
        // The exchange compared the vouched description with the version before it sent the
        // request.
        if self.vouched?.validator != nil { return nil }
        if let validator = version.validator, !head.shows(validator, length: total) {
            return self.changed("no longer has the validator it had", status: head.status)
        }
        return nil
    }

    /// The length of the version that is being read, if it is one that a resource can have.
    var knownLength: Int64? { self.version?.length.flatMap(ResourceLength.checked) }

    /// The coding of the body, although the request had `Accept-Encoding: identity`.
    func coding(of head: AnswerHead) -> BodyCoding {
        BodyCoding(head, fileName: self.resource.fileName)
    }

    /// The error for a coding that Weir cannot decode.
    func codingRefusal(_ head: AnswerHead) -> SourceError {
        let name = head.headers.contentCodings.isEmpty ? "Transfer-Encoding" : "Content-Encoding"
        let value = head.headers.values(of: name).joined(separator: ", ")
        return self.badAnswer(
            "\(Self.shown(name, value)), which Weir did not request",
            status: head.status
        )
    }

    /// The error for a `Content-Length` that contradicts itself or is not a number of bytes.
    func noLength(_ head: AnswerHead) -> SourceError {
        let value = head.headers.values(of: "Content-Length").joined(separator: ", ")
        return self.badAnswer(
            "\(Self.shown("Content-Length", value)), which is not a length",
            status: head.status
        )
    }

    /// Whether the head gives the type of a browser page although the address does not name a page.
    ///
    /// Then the first bytes of the body decide whether it is a page.
    func isPage(_ type: MediaType?) -> Bool {
        type?.isHTML == true && !self.expectsPage
    }

    /// Whether the address itself names a page.
    var expectsPage: Bool {
        ["html", "htm", "xhtml", "shtml"].contains(self.resource.fileExtension ?? "")
    }
}
