// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// One question to an origin, from the first request until an answer is accepted or refused: a pure
/// machine over redirects, retries and the fallbacks of ``AnswerCheck``.
struct Inquiry {
    /// Where a request goes, and what may go with it.
    struct Target: Hashable {
        var url: OriginURL
        /// Whether the user's headers and credentials are meant for it.
        var isTrusted: Bool
    }

    /// What to do next.
    enum Effect {
        /// Send ``request`` after a pause.
        case send(after: Duration, because: String?)
        /// Send ``request``, which goes to where the origin sent us.
        case follow(from: String, to: String)
        /// Read the head of the first part and tell ``answered(part:of:jitter:)``.
        case readPart(boundary: String)
        /// Done: the body holds the bytes.
        case open(AcceptedAnswer)
        /// Done: there are no bytes at this offset.
        case empty(ResourceDescription, at: Int64)
        /// Done: the resource is what it was.
        case unchanged
        /// Done: there is no answer.
        case refuse(SourceError)
    }

    private(set) var check: AnswerCheck
    private(set) var retry: RetryMachine
    private(set) var manners: OriginManners
    /// Where the next request goes.
    private(set) var target: Target
    /// Whether a shortcut was taken that led nowhere.
    private(set) var isShortcutDead = false

    private let origin: OriginURL
    private let headers: HTTPHeaderList
    private let maximumRedirects: Int
    private var redirects = 0
    private var isOnShortcut: Bool
    private var mayBeConditional = true

    /// Starts a question.
    ///
    /// - Parameters:
    ///   - check: knows the address, the range and the pin.
    ///   - headers: the user's, without what only Weir may say.
    ///   - maximumRedirects: how many are followed in a row.
    ///   - manners: what the origin has been seen to do.
    ///   - shortcut: where the origin redirected to before; asked first, and given up for the origin
    ///     itself whenever its answer is not accepted, since links expire.
    ///   - retry: counts the failures; it goes on counting over several questions.
    init(
        check: AnswerCheck,
        headers: HTTPHeaderList,
        maximumRedirects: Int,
        manners: OriginManners,
        shortcut: Target?,
        retry: RetryMachine
    ) {
        self.check = check
        self.origin = check.url
        self.headers = headers
        self.maximumRedirects = maximumRedirects
        self.manners = manners
        self.retry = retry
        self.target = shortcut ?? Target(url: check.url, isTrusted: true)
        self.isOnShortcut = shortcut != nil
        self.check.isConditional = self.condition != nil
    }

    /// Asks whether the resource still has an entity tag, if the origin would know it again.
    mutating func confirm(_ tag: String) {
        guard self.manners.condition(for: .entityTag(tag)) != nil else { return }
        self.check.knownTag = tag
    }

    private var condition: String? {
        guard self.mayBeConditional, self.check.isRanged else { return nil }
        return self.manners.condition(for: self.check.pin?.validator)
    }

    /// The fields of the next request.
    var requestHeaders: HTTPHeaderList {
        var list = HTTPHeaderList()
        if self.target.isTrusted {
            list = self.headers
            if !list.contains("Authorization"), let user = self.origin.userInfo {
                list.append("Authorization", user.basicCredentials)
            }
        } else if let agent = self.headers["User-Agent"] {
            list.append("User-Agent", agent)
        }
        if !list.contains("User-Agent") { list.append("User-Agent", HTTPOrigin.userAgent) }
        if !list.contains("Accept") { list.append("Accept", "*/*") }
        list.append("Accept-Encoding", "identity")
        if self.check.isRanged, let value = RangeField.value(self.check.range) {
            list.append("Range", value)
            if let condition { list.append("If-Range", condition) }
        }
        if let tag = self.check.knownTag { list.append("If-None-Match", tag) }
        return list
    }

    /// The head of an answer came.
    mutating func answered(_ head: AnswerHead, jitter: Double) -> Effect {
        self.retry.answered()
        self.manners.observed(head)
        return self.act(on: self.check.verdict(on: head), jitter: jitter)
    }

    /// The head of the part of a multipart answer came.
    mutating func answered(part: HTTPHeaderList, of head: AnswerHead, jitter: Double) -> Effect {
        self.act(on: self.check.verdict(onPart: part, of: head), jitter: jitter)
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
            self.check.isRanged = false
            self.check.isConditional = false
            return .send(after: .zero, because: nil)
        case .askWithoutRange:
            return self.refuse(self.check.refusal(status: 416))
        case .transient(let transient):
            if let effect = self.leaveShortcut() { return effect }
            let check = self.check
            return self.failed(
                .refusedForNow(retryAfter: transient.delay),
                reason: "status \(transient.status)",
                jitter: jitter,
                final: check.exhausted(status: transient.status),
                tooLong: { check.throttled(status: transient.status, delay: $0) }
            )
        case .refused(let error):
            return self.refuse(error)
        }
    }

    /// The transport brought no answer.
    mutating func failed(_ error: HTTPTransportError, jitter: Double) -> Effect {
        if let effect = self.leaveShortcut() { return effect }
        let final = self.check.failure(error, host: self.target.url.authority)
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

    private mutating func failed(
        _ failure: RetryMachine.Failure,
        reason: String,
        jitter: Double,
        final: SourceError,
        tooLong: (Duration) -> SourceError
    ) -> Effect {
        switch self.retry.failed(failure, jitter: jitter) {
        case .retry(let delay):
            // The next try asks the origin itself; links may have expired meanwhile.
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

    /// Asks the origin itself, if what failed was a shortcut.
    private mutating func leaveShortcut() -> Effect? {
        guard self.isOnShortcut else { return nil }
        self.isShortcutDead = true
        self.startOver()
        return .send(after: .zero, because: nil)
    }

    private mutating func startOver() {
        self.isOnShortcut = false
        self.redirects = 0
        self.target = Target(url: self.origin, isTrusted: true)
    }

    private mutating func redirected(to location: String) -> Effect {
        self.redirects += 1
        do throws(SourceError) {
            guard self.redirects <= self.maximumRedirects else {
                throw self.check.tooManyRedirects(self.maximumRedirects)
            }
            let next = try RedirectPolicy.target(of: location, from: self.target)
            let from = self.target.url.display
            self.target = next
            return .follow(from: from, to: next.url.display)
        } catch {
            return self.refuse(error)
        }
    }
}
