// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The plan of a response for a resource, made from the request and the description.
///
/// Preconditions are checked in the order of RFC 9110 §13.2.2: `If-Match`, `If-None-Match`, then `Range` with
/// `If-Range`. `If-Modified-Since` and `If-Unmodified-Since` do not count, because no response has a `Last-Modified`
/// field.
struct ResponsePlan: Hashable, Sendable {
    /// The body after the head.
    enum Body: Hashable, Sendable {
        /// No body.
        case none
        /// These bytes of the resource; never empty.
        case bytes(Range<Int64>)
        /// The resource from its start to its end, whose position is unknown.
        case untilEnd
    }

    /// 200, 206, 304, 412 or 416.
    let status: Int
    /// The body after the head.
    let body: Body
    /// The value of the `Content-Length` field; `nil` for a 304 and while the length is unknown.
    let contentLength: Int64?
    /// Decides how to answer a request.
    init(for request: RequestHead, of description: ResourceDescription) {
        if let ifMatch = request.ifMatch,
            !EntityTagCondition(ifMatch).holdsStrongly(for: ServedEntityTag(description))
        {
            (self.status, self.body, self.contentLength) = (412, .none, 0)
        } else if let ifNoneMatch = request.ifNoneMatch,
            EntityTagCondition(ifNoneMatch).holdsWeakly(for: ServedEntityTag(description))
        {
            (self.status, self.body, self.contentLength) = (304, .none, nil)
        } else if let length = description.length, length >= 0 {
            (self.status, self.body, self.contentLength) = Self.answer(request, description, length)
        } else {
            // The length is unknown, so a part is not possible: the whole is sent, and its end shows the length.
            (self.status, self.contentLength) = (200, nil)
            self.body = request.method == .head ? .none : .untilEnd
        }
    }

    private static func answer(
        _ request: RequestHead,
        _ description: ResourceDescription,
        _ length: Int64
    ) -> (status: Int, body: Body, contentLength: Int64?) {
        if request.method == .head { return (200, .none, length) }
        let whole: (Int, Body, Int64?) = (200, length == 0 ? .none : .bytes(0..<length), length)
        switch Self.rangeThatCounts(request, description) {
        case .ignored:
            return whole
        case .unsatisfiable:
            return (416, .none, 0)
        case .one(.suffix) where length == 0:
            // Satisfiable by RFC 9110 §14.1.2, but no Content-Range can say "no bytes".
            return whole
        case .one(let range):
            guard let part = range.resolved(inLength: length), !part.isEmpty else {
                return (416, .none, 0)
            }
            return (206, .bytes(part), part.upperBound - part.lowerBound)
        }
    }

    /// The requested range; ignored if `If-Range` names another version, so that the client gets the whole resource.
    private static func rangeThatCounts(
        _ request: RequestHead,
        _ description: ResourceDescription
    ) -> RangeField {
        if let ifRange = request.ifRange,
            !EntityTagCondition.isCurrent(ifRange: ifRange, ServedEntityTag(description))
        {
            return .ignored
        }
        return request.range
    }
}
