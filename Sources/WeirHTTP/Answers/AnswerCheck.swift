// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Judges answers: nothing that an origin says is taken without it.
///
/// The clauses: status 200, 206, 416 RFC 9110 §15.3.1, §15.3.7, §15.5.17; `Content-Range` §14.4;
/// `If-Range` §13.1.5; body length RFC 9112 §6.3.
struct AnswerCheck {
    /// How what is asked for is called.
    let resource: ResourceName
    /// What is wanted.
    let range: RequestedRange
    /// Whether the request has a `Range` field that says so.
    var isRanged = true
    /// Whether the request has none because the host has refused one that had.
    var isRangeRefused = false
    /// Whether the host has sent the whole before.
    var hasSentWhole = false
    /// What is known of the bytes that the answer's must belong to.
    var version: ReadDemand.Version?
    /// Whether the request has an `If-Range` field.
    var isConditional = false
    /// What a service says of the bytes at the address that is asked, if it says anything.
    var vouched: ResourceDescription?
    /// The entity tag, without quotes, that the bytes have if their answer shows one of this form.
    var vouchedTag: String?
    /// The entity tag that the request names in an `If-None-Match` field (RFC 9110 §13.1.2).
    var knownTag: String?
    /// The credential that the request carries.
    var sent = SentCredential.none
    /// The host that answers, where a redirect has led to another one than the resource's.
    var answerer: String?
    /// Whether all of the whole may be handed over where it comes in place of the range.
    var takesWhole = false
    /// How many bytes may be thrown away to get to the first one that is wanted.
    var maximumDiscard = Int64.max
    /// Which fields of the answer tell its version.
    var validatorPolicy = ValidatorPolicy.strong

    /// Judges the head of an answer.
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
        do throws(ContentRange.Defect) { span = try ContentRange(parsing: value) } catch {
            return .refused(self.badAnswer(self.words(error, value), status: head.status))
        }
        var type = head
        type.headers.remove("Content-Type")
        if let own = part["Content-Type"] { type.headers.append("Content-Type", own) }
        return self.verdict(onSpan: span, mediaType: type.mediaType, of: head)
    }

    /// Whether the same can be asked without a range, because it starts at the first byte.
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
            // What is read to an unknown end may end here.
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

    /// What is known of the resource from this answer.
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

/// What an answer is worth.
enum AnswerVerdict {
    /// Its body holds what was asked for.
    case accepted(AcceptedAnswer)
    /// Its body holds it as the part of a multipart body; the part's head must be judged, too.
    case multipart(boundary: String)
    /// There is no byte to read at this offset, which is the end of the resource or of the range.
    case empty(ResourceDescription, at: Int64)
    /// The resource is still what the request named by its entity tag.
    case unchanged
    /// The origin sends us elsewhere.
    case redirect(location: String)
    /// The host refuses the range, or cannot say it about one: ask for the whole, once.
    case askWithoutRange
    /// The origin did not know its own entity tag again: ask without the condition.
    case askWithoutCondition
    /// The same question may get another answer after the delay that the origin asks for.
    case transient(status: Int, delay: Duration?)
    /// It will not.
    case refused(SourceError)

    /// Whether a 200 that is judged so has brought the whole of a resource that has bytes.
    var isOfWhole: Bool {
        switch self {
        case .accepted(let answer): answer.bodyLowerBound == 0
        case .empty(let description, at: _): description.length != 0
        default: false
        }
    }
}

/// What an answer that passed every check says: the resource, the range, and where the body lies in it.
struct AcceptedAnswer: Hashable {
    var description: ResourceDescription
    /// Where the first byte of the body belongs; 0 if the origin ignored the range.
    var bodyLowerBound: Int64
    /// Where the body ends, if that is known; it may end before the wanted range does.
    var bodyUpperBound: Int64?
    /// The first byte that was wanted.
    var lowerBound: Int64
    /// The end of what was wanted, cut at the end of the resource; `nil` while that is unknown.
    var upperBound: Int64?
    /// Whether all of the whole is handed over although less was wanted.
    var coversWhole = false
    /// Whether its type is that of a page for a browser, which the address does not name: its bytes decide.
    var isTypedAsPage = false
    /// What is taken off the body; its bounds are those of the bytes below.
    var coding: ContentCoding?
}

/// What an origin has been seen to do with entity tags and ranges, which decides how it is asked again.
struct OriginCapabilities: Hashable {
    /// How many hosts are remembered of each kind.
    static let maximumHosts = 16

    /// It sends tags without quotes, so it may not know them again in quotes.
    var sendsBareTags = false
    /// It sends tags, weak or strong: then a date must not be used as a condition (RFC 9110 §13.1.5).
    var sendsTags = false
    /// The hosts that have sent the whole, asked for a range or not.
    private(set) var wholeSenders: Set<String> = []
    /// The hosts that have sent the whole after they had refused a range of it.
    private(set) var rangeRefusers: Set<String> = []

    /// A host has sent the whole.
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

    /// What another question has seen, too.
    mutating func learned(_ other: OriginCapabilities) {
        self.sendsBareTags = self.sendsBareTags || other.sendsBareTags
        self.sendsTags = self.sendsTags || other.sendsTags
        Self.remember(other.wholeSenders, in: &self.wholeSenders)
        Self.remember(other.rangeRefusers, in: &self.rangeRefusers)
    }

    /// The value of `If-Range` that holds a continuation to a validator, or `nil` where the field would
    /// do harm; the answer's own validator is compared in any case.
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
