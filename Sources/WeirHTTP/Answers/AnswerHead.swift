// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The head of an answer, with what its fields say in a form that can be decided on.
struct AnswerHead {
    let status: Int
    var headers: HTTPHeaderList

    /// Whether the body comes in chunks; then its `Content-Length` does not count (RFC 9112 §6.3).
    var isChunked: Bool { self.headers.tokens(of: "Transfer-Encoding").last == "chunked" }

    /// The `Content-Length`.
    ///
    /// `nil` inside if there is none, it does not count, or no resource has that length (servers of endless streams send
    /// such numbers); `nil` outside if it is not a number, or the answer has several different ones. One that is repeated,
    /// in fields or in a list, counts once (RFC 9112 §6.3).
    var contentLength: Int64?? {
        guard !self.isChunked else { return .some(nil) }
        let values = self.headers.values(of: "Content-Length").flatMap {
            $0.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { $0.filter { !$0.isBlank } }
        }
        guard let first = values.first else { return .some(nil) }
        guard values.allSatisfy({ $0 == first }) else { return nil }
        if ResourceLength.isUnknown(first) { return .some(nil) }
        guard let length = Int64(lengthDigits: first)
        else {
            return nil
        }
        return .some(length)
    }

    /// The `Content-Range`; of several different ones the list, which cannot be read.
    var contentRange: String? {
        let values = self.headers.values(of: "Content-Range")
        guard let first = values.first else { return nil }
        return values.allSatisfy { $0 == first } ? first : values.joined(separator: ", ")
    }

    /// The codings that were applied to the bytes although none were asked for.
    var unwantedCodings: [String] {
        let transfer = self.headers.tokens(of: "Transfer-Encoding").filter {
            $0 != "chunked" && $0 != "identity"
        }
        return self.headers.contentCodings + transfer
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
    /// (RFC 9110 §8.8.2.2). Else nothing. With ``ValidatorPolicy/modified`` no entity tag counts.
    func validator(length: Int64?, by policy: ValidatorPolicy = .strong) -> Validator? {
        if policy == .strong, let tag = self.entityTag, !tag.isWeak {
            return .entityTag(tag.quoted)
        }
        guard let length, let modified = self.headers["Last-Modified"],
            let modifiedSeconds = Int64(httpDate: modified),
            let answeredSeconds = self.headers["Date"].flatMap(Int64.init(httpDate:)),
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

extension AnswerHead {
    /// What the answer says of storing it and of using it again; `nil` if it says nothing of either.
    var cacheDirectives: CacheDirectives? {
        let control = CacheControl(self.headers.values(of: "Cache-Control"))
        let freshness = self.freshness(control)
        guard control.forbidsStoring || freshness != nil else { return nil }
        return CacheDirectives(forbidsStoring: control.forbidsStoring, freshness: freshness)
    }

    /// How long the answer may be used without asking again (RFC 9111 §4.2), less its age (§4.2.3).
    ///
    /// `max-age` comes before `Expires` (§5.3). `must-revalidate` without either names no time that could be counted
    /// on: none is.
    private func freshness(_ control: CacheControl) -> Duration? {
        if control.wantsRevalidation { return .zero }
        guard let lifetime = control.maximumAge ?? self.secondsToExpiry else {
            return control.forbidsStaleness ? .zero : nil
        }
        let age = self.headers["Age"].map { CacheControl.seconds(Array($0.utf8)) } ?? 0
        return .seconds(max(0, lifetime - age))
    }

    /// The seconds from `Date` to `Expires`; 0 for a date that cannot be read, as `0` (§5.3).
    private var secondsToExpiry: Int64? {
        guard let expires = self.headers["Expires"] else { return nil }
        guard let end = Int64(httpDate: expires),
            let now = self.headers["Date"].flatMap(Int64.init(httpDate:))
        else { return 0 }
        return max(0, end - now)
    }
}
