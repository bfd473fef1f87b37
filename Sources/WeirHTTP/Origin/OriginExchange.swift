// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// One exchange with an origin, from the first request until a response is accepted or refused.
///
/// A pure machine over redirects, retries and the fallbacks of ``AnswerCheck``.
struct OriginExchange {
    /// The next action.
    enum Effect {
        /// Send the next request after a pause.
        case send(after: Duration, because: String?)
        /// Send the next request, which goes to the target of a redirect.
        case follow(from: String, to: String)
        /// Ask the locator for another location, then call ``located(_:)``.
        case locate(after: OriginLocation)
        /// Ask the locator for a ruling on this response, then call ``ruled(_:jitter:)``.
        case consult(AnswerHead)
        /// Ask ``authorizer`` for another credential for this challenge, then call
        /// ``renewed(_:by:jitter:)``.
        case renew(AnswerHead)
        /// Read the head of the first part, then call ``answered(part:of:jitter:)``.
        case readPart(boundary: String)
        /// Done: the body holds the bytes.
        case open(AcceptedAnswer)
        /// Done: there are no bytes at this offset.
        case empty(ResourceDescription, at: Int64)
        /// Done: the resource is unchanged.
        case unchanged
        /// Done: there is no acceptable response.
        case refuse(SourceError)
    }

    private(set) var check: AnswerCheck
    private(set) var retry: RetryMachine
    private(set) var capabilities: OriginCapabilities
    /// The cookies that the resource's responses have set.
    private(set) var cookies: CookieJar
    /// The location of the bytes; `nil` until ``located(_:)``, and again after a failure.
    private(set) var location: OriginLocation?
    /// The target of the next request, if ``location`` is known.
    private(set) var target: Target?
    /// How many refusals the locator was asked about.
    private(set) var refusals = 0
    /// Whether the origin asked for the pause of the last effect.
    private(set) var isPauseAsked = false
    /// Whether a shortcut was tried and failed.
    private(set) var isShortcutDead = false

    /// How many times an exchange asks for another location.
    private static let maximumRelocations = 2

    private let version: ReadDemand.Version?
    private let userAgent: String
    private let rulesOnRefusals: Bool
    private let maximumRedirects: Int
    private var shortcut: (from: OriginURL, target: Target)?
    private var redirects = 0
    /// The steps of the redirect chain since the last call of ``located(_:)``.
    private var asked: Set<RedirectStep> = []
    private var relocations = 0
    private var isOnShortcut = false
    private var mayBeConditional = true
    private var mayRenew = true
    private var refusedHead: AnswerHead?

    /// Starts an exchange.
    ///
    /// - Parameters:
    ///   - check: has the resource, the range and the version.
    ///   - userAgent: is sent everywhere.
    ///   - rulesOnRefusals: whether the locator rules on refusals.
    ///   - maximumRedirects: how many redirects in a row are followed.
    ///   - capabilities: the known behaviour of the origin.
    ///   - cookies: the cookies of earlier responses.
    ///   - shortcut: the former redirect target of a location. If the locator returns that location
    ///     again, the target gets the first request. If its response is not accepted, the origin
    ///     itself gets the next request, since links expire.
    ///   - retry: counts the failures, also over several exchanges.
    init(
        check: AnswerCheck,
        userAgent: String = HTTPOrigin.userAgent,
        rulesOnRefusals: Bool = false,
        maximumRedirects: Int,
        capabilities: OriginCapabilities,
        cookies: CookieJar = CookieJar(),
        shortcut: (from: OriginURL, target: Target)?,
        retry: RetryMachine
    ) {
        self.check = check
        self.version = check.version
        self.userAgent = userAgent
        self.rulesOnRefusals = rulesOnRefusals
        self.maximumRedirects = maximumRedirects
        self.capabilities = capabilities
        self.cookies = cookies
        self.shortcut = shortcut
        self.retry = retry
    }

    /// Takes a location from the locator; the next request may be sent.
    ///
    /// - Parameter location: the location.
    /// - Throws: `changed` if the service says that its generation is not the one being read.
    mutating func located(_ location: OriginLocation) throws(SourceError) {
        self.location = location
        self.check.vouched = location.resource
        self.check.vouchedTag = location.entityTag
        self.check.version = self.version
        if let resource = location.resource {
            if let version = self.version, !version.agrees(with: resource) {
                throw self.check.changed("is a different version now", status: nil)
            }
            self.check.version = ReadDemand.Version(
                validator: resource.validator ?? self.version?.validator,
                length: resource.length ?? self.version?.length
            )
        }
        if let shortcut, shortcut.from == location.url, !self.isShortcutDead {
            self.aim(at: shortcut.target)
            self.isOnShortcut = true
        } else {
            self.aim(at: Target(url: location.url, isTrusted: true))
            self.isOnShortcut = false
        }
        self.redirects = 0
        self.asked = Set(self.target.map { [RedirectStep($0.url, self.cookies)] } ?? [])
        if self.check.version?.length == 0 { self.askWithoutRange() }
        self.check.isConditional = self.condition != nil
    }

    /// Sets the target of the next request; without a range if that host has refused one before.
    private mutating func aim(at target: Target) {
        self.target = target
        guard !self.capabilities.rangeRefusers.isEmpty, self.check.isRanged,
            self.capabilities.rangeRefusers.contains(target.url.authority)
        else { return }
        self.doWithoutRange()
    }

    private mutating func doWithoutRange() {
        self.check.isRanged = false
        self.check.isConditional = false
        self.check.isRangeRefused = true
    }

    /// Makes the next request ask for the whole resource.
    ///
    /// An empty resource has no bytes that a range could name, and many servers answer any range of
    /// it with an error. Does nothing if the range starts behind the first byte.
    mutating func askWithoutRange() {
        guard self.check.mayDoWithoutRange else { return }
        self.check.isRanged = false
        self.check.isConditional = false
    }

    /// Makes the request conditional on an entity tag, if the origin would recognize the tag.
    mutating func confirm(_ tag: String) {
        guard self.capabilities.condition(for: .entityTag(tag)) != nil else { return }
        self.check.knownTag = tag
    }

    /// Sets whether the reader may get the whole resource in place of the range.
    mutating func takesWhole(_ takesWhole: Bool) {
        self.check.takesWhole = takesWhole
    }

    private var condition: String? {
        guard self.mayBeConditional, self.check.isRanged else { return nil }
        return self.capabilities.condition(for: self.check.version?.validator)
    }

    /// The fields of the next request.
    var requestHeaders: HTTPHeaderList {
        var list = HTTPHeaderList()
        if let location, self.target?.isTrusted == true { list = location.headers }
        if !list.contains("User-Agent") { list.append("User-Agent", self.userAgent) }
        if !list.contains("Accept") { list.append("Accept", "*/*") }
        list.append("Accept-Encoding", "identity")
        if self.check.isRanged, let value = self.check.range.headerField {
            list.append("Range", value)
            if let condition { list.append("If-Range", condition) }
        }
        if let tag = self.check.knownTag { list.append("If-None-Match", tag) }
        if !self.cookies.isEmpty, let target {
            self.cookies.add(to: &list, for: target.url)
        }
        return list
    }

    /// The user's credential that the next request carries.
    private var sentCredential: SentCredential {
        guard let location, self.target?.isTrusted == true else { return .none }
        return SentCredential(in: location.headers)
    }

    /// The authorizer of the next request, if its target may get the credential.
    var authorizer: (any RequestAuthorizer)? {
        self.target?.isTrusted == true ? self.location?.authorizer : nil
    }

    /// Takes the cookies of a response.
    mutating func setCookies(_ headers: HTTPHeaderList, at now: Duration) {
        guard let url = self.target?.url else { return }
        self.cookies.received(headers, from: url, at: now)
    }

    /// Counts an event in the budget of the resource.
    mutating func counting(
        in budget: inout RetryBudget,
        at now: Duration,
        _ event: (inout OriginExchange) -> Effect
    ) -> Effect {
        self.retry.enter(budget, at: now)
        defer { self.retry.leave(&budget) }
        return event(&self)
    }

    /// Takes the head of a response.
    mutating func answered(_ head: AnswerHead, jitter: Double) -> Effect {
        self.retry.answered()
        self.capabilities.observed(head)
        self.check.answerer = self.foreignHost
        self.check.sent = self.sentCredential
        let host = self.target?.url.authority
        self.check.hasSentWhole = host.map(self.capabilities.wholeSenders.contains) ?? false
        if head.status == 401, self.mayRenew, self.authorizer != nil { return .renew(head) }
        if self.rulesOnRefusals, head.status >= 400, head.status != 416 {
            if let effect = self.leaveShortcut() { return effect }
            self.refusals += 1
            self.refusedHead = head
            return .consult(head)
        }
        let verdict = self.check.verdict(on: head)
        if head.status == 200, verdict.isOfWhole, let host {
            self.capabilities.sentWhole(host, refusesRanges: self.check.isRangeRefused)
        }
        return self.act(on: verdict, jitter: jitter)
    }

    /// Takes the head of the part of a multipart response.
    mutating func answered(part: HTTPHeaderList, of head: AnswerHead, jitter: Double) -> Effect {
        self.act(on: self.check.verdict(onPart: part, of: head), jitter: jitter)
    }

    /// Takes the authorizer's answer: whether a request with another credential may succeed.
    ///
    /// The exchange tries another credential only once, since servers count wrong passwords.
    mutating func renewed(_ mayDoBetter: Bool, by head: AnswerHead, jitter: Double) -> Effect {
        guard mayDoBetter else { return self.act(on: self.check.verdict(on: head), jitter: jitter) }
        self.mayRenew = false
        return .send(after: .zero, because: nil)
    }

    /// Takes the locator's ruling on a response.
    mutating func ruled(_ ruling: FailureRuling, jitter: Double) -> Effect {
        guard let head = self.refusedHead else { return .refuse(self.check.refusal(status: 400)) }
        let check = self.check
        switch ruling {
        case .locateAnew(let error):
            guard let location, self.relocations < Self.maximumRelocations else {
                return .refuse(error)
            }
            self.relocations += 1
            self.startOver()
            return .locate(after: location)
        case .transient(let delay):
            return self.failed(
                .refusedForNow(retryAfter: delay),
                reason: "status \(head.status)",
                jitter: jitter,
                final: check.exhausted(status: head.status),
                tooLong: { check.throttled(status: head.status, delay: $0) }
            )
        case .refused(let error):
            return .refuse(error)
        case .standard:
            return self.act(on: self.check.verdict(on: head), jitter: jitter)
        }
    }

    private mutating func act(on verdict: AnswerVerdict, jitter: Double) -> Effect {
        switch verdict {
        case .accepted(let answer):
            return .open(answer)
        case .multipart(let boundary):
            return .readPart(boundary: boundary)
        case .empty(let description, let offset):
            return .empty(description, at: offset)
        case .unchanged:
            return .unchanged
        case .redirect(let location):
            return self.redirected(to: location)
        case .askWithoutCondition:
            self.mayBeConditional = false
            self.check.isConditional = false
            return .send(after: .zero, because: nil)
        case .askWithoutRange where self.check.isRanged && !self.isOnShortcut:
            self.doWithoutRange()
            return .send(after: .zero, because: nil)
        case .askWithoutRange:
            return self.refuse(self.check.refusal(status: 416))
        case .transient(let status, let delay):
            if let effect = self.leaveShortcut() { return effect }
            let check = self.check
            return self.failed(
                .refusedForNow(retryAfter: delay),
                reason: "status \(status)",
                jitter: jitter,
                final: check.exhausted(status: status),
                tooLong: { check.throttled(status: status, delay: $0) }
            )
        case .refused(let error):
            return self.refuse(error)
        }
    }

    /// Takes a failure of the transport.
    mutating func failed(_ error: HTTPTransportError, jitter: Double) -> Effect {
        if let effect = self.leaveShortcut() { return effect }
        let host = self.target?.url.authority ?? self.check.resource.authority
        let final = self.check.failure(error, host: host)
        let failure: RetryMachine.Failure
        switch error.code {
        case .unreachable: failure = .unreached
        case .firstByteTimedOut, .connectTimedOut: failure = .unanswered
        case .connectionLost, .idleTimedOut: failure = .lost
        default: return .refuse(final)
        }
        return self.failed(
            failure,
            reason: error.reason,
            jitter: jitter,
            final: final,
            tooLong: { _ in final }
        )
    }

    /// The requested host, if it is not the location's host.
    private var foreignHost: String? {
        guard let location, let host = self.target?.url.authority,
            host != location.url.authority
        else { return nil }
        return host
    }

    private mutating func failed(
        _ failure: RetryMachine.Failure,
        reason: String,
        jitter: Double,
        final: SourceError,
        tooLong: (Duration) -> SourceError
    ) -> Effect {
        if case .refusedForNow(.some) = failure {
            self.isPauseAsked = true
        } else {
            self.isPauseAsked = false
        }
        switch self.retry.failed(failure, jitter: jitter) {
        case .retry(let delay):
            // The next attempt asks for the location again; links may have expired meanwhile.
            self.startOver()
            return .send(after: delay, because: reason)
        case .giveUp:
            return .refuse(final)
        case .waitIsTooLong(let delay):
            return .refuse(tooLong(delay))
        }
    }

    private mutating func refuse(_ error: SourceError) -> Effect {
        self.leaveShortcut() ?? .refuse(error)
    }

    /// Returns to the origin itself if a shortcut has failed.
    private mutating func leaveShortcut() -> Effect? {
        guard self.isOnShortcut else { return nil }
        self.isShortcutDead = true
        self.startOver()
        return .send(after: .zero, because: nil)
    }

    private mutating func startOver() {
        self.isOnShortcut = false
        self.redirects = 0
        self.target = nil
        self.location = nil
    }

    private mutating func redirected(to location: String) -> Effect {
        self.redirects += 1
        do throws(SourceError) {
            guard let current = self.target else { throw self.check.refusal(status: 300) }
            let next = try current.redirected(to: location)
            guard self.asked.insert(RedirectStep(next.url, self.cookies)).inserted else {
                throw self.check.circularRedirects(to: self.shown(next))
            }
            guard self.redirects <= self.maximumRedirects else {
                throw self.check.tooManyRedirects(self.maximumRedirects, to: self.shown(next))
            }
            let from = self.shown(current)
            self.aim(at: next)
            return .follow(from: from, to: self.shown(next))
        } catch {
            return self.refuse(error)
        }
    }

    /// An address in a form that may be shown: links of other hosts are often secrets.
    private func shown(_ target: Target) -> String {
        guard target.isTrusted, self.location?.hidesPath == false else {
            return "\(target.url.scheme.rawValue)://\(target.url.authority)/…"
        }
        return target.url.display
    }
}
