// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The head of a response, before it is bytes.
struct ResponseHead: Hashable, Sendable {
    /// How the client knows where the body ends (RFC 9112 §6).
    enum Framing: Hashable, Sendable {
        /// By its length, or there is no body.
        case counted
        /// By the last of its chunks.
        case chunked
        /// By the end of the connection: HTTP/1.0 has no chunks.
        case untilClose
    }

    /// The `Content-Range` field (RFC 9110 §14.4).
    enum ContentRange: Hashable, Sendable {
        case part(Range<Int64>, of: Int64)
        case unsatisfied(length: Int64)
    }

    /// Whom a browser lets read the answer.
    struct CrossOrigin: Hashable, Sendable {
        /// The allowed site that asks; `nil` if none does.
        var granted: String?
        /// Whether the permission is asked for beforehand.
        var isPreflight = false
        /// Whether the question comes from outside of this machine's network.
        var isFromPublicNetwork = false
    }

    var status: Int
    var contentType: String?
    var contentLength: Int64?
    var framing = Framing.counted
    var contentRange: ContentRange?
    var acceptsRanges = false
    var entityTag: EntityTag?
    /// When the response is made, in seconds since 1970; `nil` without a clock.
    var date: Int64?
    /// How many seconds ago the origin was heard to have these bytes; `nil` if that is not known.
    var age: Int64?
    /// Whether the credential that is wanted is the proxy's, for 401.
    var isChallenge = false
    var listsMethods = false
    var retryAfter: Int?
    /// Whether the connection ends with the response.
    var closes: Bool
    /// Whether a client that speaks HTTP/1.0 must be told that the connection stays open.
    var isHTTP10: Bool
    /// `nil` if no site is allowed at all.
    var crossOrigin: CrossOrigin?

    /// The head of a resource.
    init(
        _ plan: ResponsePlan,
        of description: ResourceDescription,
        to request: RequestHead,
        closing: Bool
    ) {
        self.status = plan.status
        self.contentLength = plan.contentLength
        self.entityTag = EntityTag(description)
        self.acceptsRanges = description.length != nil
        self.isHTTP10 = request.isHTTP10
        self.closes = closing
        if plan.status == 200 || plan.status == 206 {
            self.contentType = description.mediaType?.essence ?? "application/octet-stream"
        }
        if let length = description.length {
            if case .bytes(let part) = plan.body, plan.status == 206 {
                self.contentRange = .part(part, of: length)
            } else if plan.status == 416 {
                self.contentRange = .unsatisfied(length: length)
            }
        }
        if plan.body == .untilEnd {
            self.framing = request.isHTTP10 ? .untilClose : .chunked
            self.closes = closing || request.isHTTP10
        }
    }

    /// The head of a sentence.
    init(_ answer: PlainAnswer, isHTTP10: Bool, closing: Bool) {
        self.status = answer.status
        if let sentence = answer.sentence {
            self.contentType = "text/plain; charset=utf-8"
            self.contentLength = Int64(sentence.utf8.count + 1)
        } else if answer.status != 204 {
            self.contentLength = 0
        }
        self.contentRange = answer.unsatisfiedLength.map { .unsatisfied(length: $0) }
        self.acceptsRanges = answer.status == 416
        self.listsMethods = answer.listsMethods
        self.isChallenge = answer.status == 401
        self.retryAfter = answer.retryAfter
        self.closes = closing || answer.closes
        self.isHTTP10 = isHTTP10
    }
}
