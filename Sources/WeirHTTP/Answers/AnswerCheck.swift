// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Judges every response of an origin before Weir uses it.
///
/// The clauses: status 200, 206, 416 RFC 9110 §15.3.1, §15.3.7, §15.5.17; `Content-Range` §14.4;
/// `If-Range` §13.1.5; body length RFC 9112 §6.3.
struct AnswerCheck {
    /// The resource's name in error messages.
    let resource: ResourceName
    /// The requested range.
    let range: RequestedRange
    /// Whether the request has a `Range` field for this range.
    var isRanged = true
    /// Whether the request has no `Range` field because the host has refused one.
    var isRangeRefused = false
    /// Whether the host has sent the whole resource before.
    var hasSentWhole = false
    /// The known version to which the bytes of the response must belong.
    var version: ReadDemand.Version?
    /// Whether the request has an `If-Range` field.
    var isConditional = false
    /// The description that a service gives of the bytes at the requested address, if any.
    var vouched: ResourceDescription?
    /// The location's entity tag of the bytes, without quotes; a response with another tag of this
    /// form is refused.
    var vouchedTag: String?
    /// The entity tag that the request names in an `If-None-Match` field (RFC 9110 §13.1.2).
    var knownTag: String?
    /// The credential that the request carries.
    var sent = SentCredential.none
    /// The host that responds, if a redirect has led to a host other than the resource's.
    var answerer: String?
    /// Whether the reader may get the whole resource in place of the range.
    var takesWhole = false
    /// How many bytes may be discarded before the first requested byte.
    var maximumDiscard = Int64.max
    /// Which fields of the response identify its version.
    var validatorPolicy = ValidatorPolicy.strong

    /// Judges the head of a response.
    func verdict(on head: AnswerHead) -> AnswerVerdict {
        switch head.status {
        case 200:
            self.verdict(onWhole: head)
        case 206:
            self.verdict(onPartial: head)
        case 301, 302, 303, 307, 308:
            self.verdict(onRedirect: head)
        case 304 where self.knownTag != nil:
            .unchanged
        case 416:
            self.verdict(onUnsatisfiable: head)
        case 408, 423, 425, 429, 500, 502, 503, 504, 509:
            .transient(status: head.status, delay: head.headers.retryAfter)
        case 400 where self.isRanged, 406 where self.isRanged, 501 where self.isRanged,
            403 where self.isRanged && self.hasSentWhole:
            .askWithoutRange
        default:
            .refused(self.refusal(status: head.status))
        }
    }

    /// Judges the head of the one part of a multipart body.
    func verdict(onPart part: HTTPHeaderList, of head: AnswerHead) -> AnswerVerdict {
        guard let value = part["Content-Range"] else {
            return .refused(self.badAnswer("a part without Content-Range", status: head.status))
        }
        let span: ContentRange
        do throws(ContentRange.FieldError) { span = try ContentRange(parsing: value) } catch {
            return .refused(self.badAnswer(self.words(error, value), status: head.status))
        }
        var type = head
        type.headers.remove("Content-Type")
        if let own = part["Content-Type"] { type.headers.append("Content-Type", own) }
        return self.verdict(onSpan: span, mediaType: type.mediaType, of: head)
    }

    /// Whether a request without a range gets the same bytes, because the range starts at the first
    /// byte.
    var mayDoWithoutRange: Bool { self.isRanged && self.range.knownLowerBound == 0 }

    private func verdict(onRedirect head: AnswerHead) -> AnswerVerdict {
        guard let location = head.headers["Location"] else {
            return .refused(self.badAnswer("a redirect without a target", status: head.status))
        }
        return .redirect(location: location)
    }

    private func verdict(onUnsatisfiable head: AnswerHead) -> AnswerVerdict {
        guard self.isRanged else { return .refused(self.refusal(status: head.status)) }
        let total = head.headers["Content-Range"].flatMap(ContentRange.init)?.total
        if let total, let known = self.version?.length, known != total {
            return .refused(self.changed("now has \(total) bytes instead of \(known)", status: 416))
        }
        guard let length = total ?? self.version?.length else {
            // A resource without a known end may end at this position.
            if self.version != nil, let start = self.range.knownLowerBound, start > 0 {
                return .refused(self.pastTheEnd(self.range, length: nil))
            }
            return .askWithoutRange
        }
        guard let resolved = self.range.resolved(inLength: length) else {
            return .refused(self.pastTheEnd(self.range, length: total))
        }
        guard resolved.isEmpty else { return .askWithoutRange }
        var description = self.description(of: head, length: length, mediaType: nil)
        description.validator = self.version?.validator
        description.acceptsRanges = true
        return .empty(description, at: resolved.lowerBound)
    }

    /// Describes the resource as this response shows it.
    func description(of head: AnswerHead, length: Int64?, mediaType: MediaType?)
        -> ResourceDescription
    {
        let named = head.headers["Content-Disposition"].flatMap { ParameterizedValue($0).fileName }
        return ResourceDescription(
            length: length,
            mediaType: self.vouched?.mediaType ?? mediaType,
            validator: self.vouched?.validator
                ?? head.validator(length: length, by: self.validatorPolicy),
            name: self.vouched?.name ?? named ?? self.resource.fileName,
            cacheDirectives: head.cacheDirectives
        )
    }
}

/// The result of judging a response.
enum AnswerVerdict {
    /// The body holds the requested bytes.
    case accepted(AcceptedAnswer)
    /// The multipart body holds the requested bytes in a part, whose head must be judged too.
    case multipart(boundary: String)
    /// There is no byte to read at this offset, the end of the resource or of the range.
    case empty(ResourceDescription, at: Int64)
    /// The resource still has the entity tag that the request named.
    case unchanged
    /// The origin redirects to another address.
    case redirect(location: String)
    /// The host refuses the range or gives no usable position: ask for the whole resource, once.
    case askWithoutRange
    /// The origin may not recognize its own entity tag: ask without the condition.
    case askWithoutCondition
    /// A retry may succeed after the delay that the origin asks for.
    case transient(status: Int, delay: Duration?)
    /// A retry would not succeed.
    case refused(SourceError)

    /// Whether a 200 with this verdict has brought a whole resource that has bytes.
    var isOfWhole: Bool {
        switch self {
        case .accepted(let answer): answer.bodyLowerBound == 0
        case .empty(let description, at: _): description.length != 0
        default: false
        }
    }
}

/// A response that passed every check: the resource, the range, and the position of the body in it.
struct AcceptedAnswer: Hashable {
    var description: ResourceDescription
    /// The position of the first byte of the body; 0 if the origin ignored the range.
    var bodyLowerBound: Int64
    /// The position of the body's end, if known; the body may end before the requested range does.
    var bodyUpperBound: Int64?
    /// The first requested byte.
    var lowerBound: Int64
    /// The end of the requested range, cut at the end of the resource; `nil` while it is unknown.
    var upperBound: Int64?
    /// Whether the reader gets the whole resource although it requested less.
    var coversWhole = false
    /// Whether the head gives the type of a browser page although the address does not name a page.
    ///
    /// Then the first bytes of the body decide whether it is a page.
    var isTypedAsPage = false
    /// The coding to decode; the bounds are positions of decoded bytes.
    var coding: ContentCoding?
}

/// How an origin treats entity tags and ranges, which decides the form of later requests.
struct OriginCapabilities: Hashable {
    /// How many hosts of each kind are remembered.
    static let maximumHosts = 16

    /// Whether the origin sends tags without quotes; it may not recognize them with quotes.
    var sendsBareTags = false
    /// Whether the origin sends weak or strong tags.
    ///
    /// Then a date must not be used as a condition (RFC 9110 §13.1.5).
    var sendsTags = false
    /// The hosts that have sent the whole resource, whether or not the request had a range.
    private(set) var wholeSenders: Set<String> = []
    /// The hosts that have refused a range and then sent the whole resource.
    private(set) var rangeRefusers: Set<String> = []

    /// Records that a host has sent the whole resource.
    mutating func sentWhole(_ host: String, refusesRanges: Bool) {
        Self.remember([host], in: &self.wholeSenders)
        if refusesRanges { Self.remember([host], in: &self.rangeRefusers) }
    }

    private static func remember(_ hosts: Set<String>, in known: inout Set<String>) {
        guard !hosts.isSubset(of: known) else { return }
        known = known.count + hosts.count > Self.maximumHosts ? hosts : known.union(hosts)
    }

    mutating func observed(_ head: AnswerHead) {
        guard let tag = head.entityTag else { return }
        if tag.isBare { self.sendsBareTags = true }
        self.sendsTags = true
    }

    /// Adds the observations of another request.
    mutating func learned(_ other: OriginCapabilities) {
        self.sendsBareTags = self.sendsBareTags || other.sendsBareTags
        self.sendsTags = self.sendsTags || other.sendsTags
        Self.remember(other.wholeSenders, in: &self.wholeSenders)
        Self.remember(other.rangeRefusers, in: &self.rangeRefusers)
    }

    /// The value of `If-Range` that binds a continuation to a validator.
    ///
    /// `nil` where the field would do harm. Weir compares the response's own validator in any case.
    func condition(for validator: Validator?) -> String? {
        switch validator {
        case .entityTag(let tag):
            tag.utf8.first == UInt8(ascii: "\"") && !self.sendsBareTags ? tag : nil
        case .lastModified(let date, length: _):
            self.sendsTags ? nil : date
        case .revision, nil:
            nil
        }
    }
}
