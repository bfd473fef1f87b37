// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// The head of an answer, with what its fields say in a form that can be decided on.
struct AnswerHead {
    let status: Int
    var headers: HTTPHeaderList

    /// Whether the body comes in chunks; then its `Content-Length` does not count (RFC 9112 §6.3).
    var isChunked: Bool { self.headers.tokens(of: "Transfer-Encoding").last == "chunked" }

    /// The `Content-Length`: `nil` inside if there is none or it does not count, `nil` outside if it is
    /// no number, one that no resource has, or several different ones.
    var contentLength: Int64?? {
        guard !self.isChunked else { return .some(nil) }
        let values = self.headers.values(of: "Content-Length")
        guard let first = values.first else { return .some(nil) }
        guard values.allSatisfy({ $0 == first }), let length = DecimalNumber.length(first.utf8)
        else {
            return nil
        }
        return .some(length)
    }

    /// The codings that were applied to the bytes although none were asked for.
    var unwantedCodings: [String] {
        let content = self.headers.tokens(of: "Content-Encoding")
        let transfer = self.headers.tokens(of: "Transfer-Encoding").filter { $0 != "chunked" }
        return (content + transfer).filter { $0 != "identity" }
    }

    var mediaType: MediaType? {
        self.headers["Content-Type"].flatMap { MediaType(headerValue: $0) }
    }

    /// The boundary, if the body is `multipart/byteranges` (RFC 9110 §14.6).
    var byterangesBoundary: String? {
        guard let type = self.headers["Content-Type"].map(ParameterizedValue.init),
            type.value == "multipart/byteranges",
            let boundary = type.parameters["boundary"], (1...200).contains(boundary.utf8.count)
        else { return nil }
        return boundary
    }

    var entityTag: EntityTag? { self.headers["ETag"].flatMap(EntityTag.init) }

    /// What identifies the bytes of the resource, if the answer says anything strong.
    ///
    /// A strong entity tag; else `Last-Modified` with the length, if `Date` is at least one second
    /// later: both come from the one origin in the one answer, so they were told by one clock
    /// (RFC 9110 §8.8.2.2). Else nothing.
    func validator(length: Int64?) -> Validator? {
        if let tag = self.entityTag, !tag.isWeak { return .entityTag(tag.quoted) }
        guard let length, let modified = self.headers["Last-Modified"],
            let modifiedSeconds = HTTPDate.seconds(modified),
            let answeredSeconds = self.headers["Date"].flatMap(HTTPDate.seconds),
            answeredSeconds - modifiedSeconds >= 1
        else { return nil }
        return .lastModified(modified, length: length)
    }

    /// Whether the answer shows the very validator that is asked for.
    ///
    /// A revision is a service's word, which no answer of an HTTP origin shows.
    func shows(_ validator: Validator, length: Int64?) -> Bool {
        switch validator {
        case .entityTag(let tag):
            guard let own = self.entityTag, !own.isWeak else { return false }
            return own.quoted == tag
        case .lastModified(let date, length: let known):
            return self.headers["Last-Modified"] == date && (length ?? known) == known
        case .revision:
            return false
        }
    }
}
