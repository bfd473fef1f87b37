// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The head of a response, with its fields in a form that the machines can decide on.
struct AnswerHead {
    let status: Int
    var headers: HTTPHeaderList

    /// Whether the body comes in chunks; then its `Content-Length` does not count (RFC 9112 §6.3).
    var isChunked: Bool { self.headers.tokens(of: "Transfer-Encoding").last == "chunked" }

    /// The `Content-Length`.
    ///
    /// The inner `nil` means no usable length: the field is missing, the body is chunked, or the
    /// number is negative or too large, as servers of endless streams send it. The outer `nil`
    /// means that the value is not a number, or that several values differ. A value that is
    /// repeated, in fields or in a list, counts once (RFC 9112 §6.3).
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

    /// The `Content-Range`; several different values are joined into a list, which is not a valid
    /// value.
    var contentRange: String? {
        let values = self.headers.values(of: "Content-Range")
        guard let first = values.first else { return nil }
        return values.allSatisfy { $0 == first } ? first : values.joined(separator: ", ")
    }

    /// The codings that were applied to the bytes although the request asked for no coding.
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

    /// The validator of the bytes of the resource, if the response has a strong one.
    ///
    /// A strong entity tag; else `Last-Modified` with the length, if `Date` is at least one second
    /// later. Both dates come from one origin in one response, so one clock set them (RFC 9110
    /// §8.8.2.2). Otherwise `nil`. With ``ValidatorPolicy/modified`` entity tags do not count.
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

    /// Whether the response has the same validator.
    ///
    /// Only services have revisions; no response of an HTTP origin names a revision.
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
    /// The directives of the response about storing and reuse; `nil` if it has neither kind.
    var cacheDirectives: CacheDirectives? {
        let control = CacheControl(self.headers.values(of: "Cache-Control"))
        let freshness = self.freshness(control)
        guard control.forbidsStoring || freshness != nil else { return nil }
        return CacheDirectives(forbidsStoring: control.forbidsStoring, freshness: freshness)
    }

    /// How long the response may be used without revalidation (RFC 9111 §4.2), less its age
    /// (§4.2.3).
    ///
    /// `max-age` precedes `Expires` (§5.3). `must-revalidate` without either gives zero, since no
    /// lifetime is known.
    private func freshness(_ control: CacheControl) -> Duration? {
        if control.wantsRevalidation { return .zero }
        guard let lifetime = control.maximumAge ?? self.secondsToExpiry else {
            return control.forbidsStaleness ? .zero : nil
        }
        let age = self.headers["Age"].map { CacheControl.seconds(Array($0.utf8)) } ?? 0
        return .seconds(max(0, lifetime - age))
    }

    /// The seconds from `Date` to `Expires`; 0 if a date is missing or unreadable, such as `0`
    /// (§5.3).
    private var secondsToExpiry: Int64? {
        guard let expires = self.headers["Expires"] else { return nil }
        guard let end = Int64(httpDate: expires),
            let now = self.headers["Date"].flatMap(Int64.init(httpDate:))
        else { return 0 }
        return max(0, end - now)
    }
}
