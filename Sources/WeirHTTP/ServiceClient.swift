// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Sends small requests to services.
///
/// It applies time limits, retries, follows redirects safely, and renews a refused credential once.
public struct ServiceClient: Sendable {
    /// The longest body that is read, in bytes.
    public static let maximumBodySize = 32 << 20

    private let transport: any HTTPTransport
    private let timeouts: HTTPOrigin.Timeouts
    private let retry: RetryPolicy
    private let userAgent: String
    private let timeline: Timeline
    package let observer: SourceObserver?

    /// Creates a client over a transport.
    package init(
        transport: any HTTPTransport,
        timeouts: HTTPOrigin.Timeouts = HTTPOrigin.Timeouts(),
        retry: RetryPolicy = RetryPolicy(),
        userAgent: String = HTTPOrigin.userAgent,
        clock: any Clock<Duration> = ContinuousClock(),
        observer: SourceObserver? = nil
    ) {
        self.transport = transport
        self.timeouts = timeouts
        self.retry = retry
        self.userAgent = userAgent
        self.timeline = Timeline(clock)
        self.observer = observer
    }

    /// Sends a request until there is a response that the service's own parser can judge.
    ///
    /// The client repeats requests after lost connections and after statuses that may be temporary
    /// (408, 423, 425, 429, 500, 502, 503, 504, 509); if all attempts fail, it returns the last of
    /// these responses. It repeats a request that is not repeatable only if the service did not
    /// receive it, or refused it with 429 or 503.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - authorizer: returns the credential, and after a refusal another one, at most once.
    ///   - isFinal: whether a response is final although its status may be temporary.
    /// - Returns: the response, with its whole body.
    /// - Throws: `SourceError` if there is no response; `CancellationError`.
    public func send(
        _ request: ServiceRequest,
        authorizer: (any RequestAuthorizer)? = nil,
        isFinal: (ServiceAnswer) -> Bool = { _ in false }
    ) async throws -> ServiceAnswer {
        var retry = RetryMachine(self.retry)
        var target = OriginExchange.Target(url: request.url, isTrusted: true)
        var redirects = 0
        var asked: Set<OriginURL> = [target.url]
        var mayRenew = true
        while true {
            try Task.checkCancellation()
            var authorization: String?
            if target.isTrusted, let authorizer {
                authorization = try await authorizer.authorization(
                    method: request.method,
                    url: target.url
                )
            }
            let answer: ServiceAnswer
            do {
                answer = try await self.ask(request, target, authorization)
            } catch let error as HTTPTransportError {
                let pause = try self.pause(after: error, of: request, at: target, &retry)
                try await self.timeline.sleep(pause)
                target = OriginExchange.Target(url: request.url, isTrusted: true)
                (redirects, asked) = (0, [target.url])
                continue
            }
            retry.answered()
            switch answer.status {
            case _ where HTTPStatus.isRedirect(answer.status):
                guard request.followsRedirects else { return answer }
                redirects += 1
                target = try Self.redirected(
                    answer,
                    of: request,
                    from: target,
                    count: redirects,
                    &asked
                )
            case 401:
                guard mayRenew, target.isTrusted, let authorizer,
                    try await authorizer.refused(
                        authorization,
                        challenges: answer.headers.values(of: "WWW-Authenticate")
                    )
                else { return answer }
                mayRenew = false
            case _ where HTTPStatus.isTemporary(answer.status):
                guard !isFinal(answer),
                    request.isRepeatable || HTTPStatus.isBusy(answer.status),
                    case .retry(let pause) = retry.failed(
                        .refusedForNow(retryAfter: answer.retryAfter),
                        jitter: self.retry.jitter()
                    )
                else { return answer }
                self.observer?(
                    .retrying(
                        resource: request.subject,
                        offset: 0,
                        after: pause,
                        attempt: retry.nextAttempt,
                        reason: "status \(answer.status)"
                    )
                )
                if answer.retryAfter == nil {
                    try await self.timeline.sleep(pause)
                } else {
                    try await RetryPolicy.waitAsAsked(
                        for: pause,
                        by: request.subject,
                        because: "status \(answer.status)",
                        telling: self.observer,
                        sleep: self.timeline.sleep
                    )
                }
                target = OriginExchange.Target(url: request.url, isTrusted: true)
                (redirects, asked) = (0, [target.url])
            default:
                return answer
            }
        }
    }

    private func ask(
        _ request: ServiceRequest,
        _ target: OriginExchange.Target,
        _ authorization: String?
    ) async throws -> ServiceAnswer {
        var headers = target.isTrusted ? request.headers : HTTPHeaderList()
        if !target.isTrusted {
            for name in ["Content-Type", "Accept", "Depth"] {
                if let value = request.headers[name] { headers.append(name, value) }
            }
        }
        if !headers.contains("User-Agent") { headers.append("User-Agent", self.userAgent) }
        if !headers.contains("Accept") { headers.append("Accept", "*/*") }
        headers.append("Accept-Encoding", "identity")
        if let authorization {
            headers.append(try HTTPHeader(name: "Authorization", value: authorization))
        }
        let response = try await self.transport.send(
            HTTPTransportRequest(
                url: target.url,
                method: request.method,
                headers: headers,
                body: request.body
            ),
            within: self.timeouts,
            on: self.timeline,
            telling: self.observer
        )
        let body = WatchedBody(
            response.body,
            of: target.url.authority,
            limit: self.timeouts.idle,
            timeline: self.timeline,
            observer: nil
        )
        var answer = ServiceAnswer(
            status: response.status,
            headers: response.headers,
            body: [],
            url: target.url
        )
        guard request.readsBody(answer) else {
            body.cancel()
            return answer
        }
        let head = AnswerHead(status: response.status, headers: response.headers)
        var plain: any HTTPBody = body
        switch BodyCoding(head, fileName: nil) {
        case .plain: break
        case .coded(let coding): plain = UnpackedBody(body, coding: coding)
        case .foreign:
            body.cancel()
            // For a failure the status suffices, without the body.
            guard answer.isSuccess else { return answer }
            let name = ResourceName(
                display: request.subject,
                authority: target.url.authority,
                fileName: nil
            )
            throw AnswerCheck(resource: name, range: .whole).codingRefusal(head)
        }
        answer.body = try await Self.bytes(
            of: plain,
            announced: response.headers["Content-Length"].flatMap { Int($0) } ?? 0,
            subject: request.subject,
            host: target.url.authority
        )
        self.observer?(.received(byteCount: answer.body.count))
        return answer
    }

    private static func bytes(
        of body: any HTTPBody,
        announced: Int,
        subject: String,
        host: String
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        // The announced length may be wrong, so the reserved memory is limited to the size of a
        // store's extent.
        bytes.reserveCapacity(min(max(0, announced), 8 << 20))
        while let memory = try await body.next() {
            guard bytes.count + memory.count <= Self.maximumBodySize else {
                body.cancel()
                throw SourceError(
                    .badAnswer,
                    "\(host) answered with more than \(Self.maximumBodySize >> 20) MiB to a request for \(subject);"
                        + " request less at once.",
                    host: host
                )
            }
            memory.withUnsafeBytes { bytes += $0 }
        }
        return bytes
    }

    private func pause(
        after error: HTTPTransportError,
        of request: ServiceRequest,
        at target: OriginExchange.Target,
        _ retry: inout RetryMachine
    ) throws -> Duration {
        let name = ResourceName(
            display: request.subject,
            authority: target.url.authority,
            fileName: nil
        )
        let final = AnswerCheck(resource: name, range: .whole).failure(
            error,
            host: target.url.authority
        )
        let failure: RetryMachine.Failure
        switch error.code {
        case .unreachable: failure = .unreached
        case .connectTimedOut: failure = .unanswered
        case .firstByteTimedOut where request.isRepeatable: failure = .unanswered
        case .connectionLost where request.isRepeatable: failure = .lost
        case .idleTimedOut where request.isRepeatable: failure = .lost
        default: throw final
        }
        guard case .retry(let pause) = retry.failed(failure, jitter: self.retry.jitter()) else {
            throw final
        }
        self.observer?(
            .retrying(
                resource: request.subject,
                offset: 0,
                after: pause,
                attempt: retry.nextAttempt,
                reason: error.reason
            )
        )
        return pause
    }

    private static func redirected(
        _ answer: ServiceAnswer,
        of request: ServiceRequest,
        from target: OriginExchange.Target,
        count: Int,
        _ asked: inout Set<OriginURL>
    ) throws(SourceError) -> OriginExchange.Target {
        let host = target.url.authority
        if let location = answer.headers["Location"], count <= 20, request.isRepeatable {
            let next = try target.redirected(to: location)
            if asked.insert(next.url).inserted { return next }
        }
        throw SourceError(
            .badAnswer,
            "\(host) redirects a request for \(request.subject) without an address or too often; check the address of"
                + " the service.",
            host: host,
            status: answer.status
        )
    }
}

/// A small request to a service, for a file's description, a page of a listing, or a token.
public struct ServiceRequest: Sendable {
    /// The method, a token.
    public var method: String
    /// The address.
    public var url: OriginURL
    /// Fields besides `User-Agent`, `Accept-Encoding` and the credential.
    public var headers: HTTPHeaderList
    /// The body; empty for none.
    public var body: [UInt8]
    /// Whether the request may be sent again after the service may have received it.
    public var isRepeatable: Bool
    /// The name of the subject in messages.
    public var subject: String
    /// Decides by status and fields whether to read the body, which may be endless after a wrong
    /// request.
    package var readsBody: @Sendable (ServiceAnswer) -> Bool = { _ in true }
    /// Whether the client follows redirects; if not, it returns the redirect.
    package var followsRedirects = true

    /// Creates a request.
    public init(
        method: String = "GET",
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        body: [UInt8] = [],
        isRepeatable: Bool = true,
        subject: String
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isRepeatable = isRepeatable
        self.subject = subject
    }
}

/// The response of a service, whatever the status.
public struct ServiceAnswer: Sendable {
    /// The status.
    public var status: Int
    /// The fields.
    public var headers: HTTPHeaderList
    /// The whole body.
    public var body: [UInt8]
    /// The address of the response, after redirects.
    public var url: OriginURL

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaderList, body: [UInt8], url: OriginURL) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(self.status) }

    /// The time that `Retry-After` asks for.
    public var retryAfter: Duration? { self.headers.retryAfter }

    /// Whether the service forbids storing the response (`Cache-Control: no-store`).
    package var forbidsStoring: Bool {
        CacheControl(self.headers.values(of: "Cache-Control")).forbidsStoring
    }

    /// The time of the response by the service's clock, in seconds since 1970, if the response has
    /// it.
    public var seconds: Int64? { self.headers["Date"].flatMap(Int64.init(httpDate:)) }
}

/// Gives the credential for requests, and handles its refusal.
///
/// The credential is sent only to the origin of the address, never along with a redirect that
/// leaves it.
public protocol RequestAuthorizer: Sendable {
    /// The value of the `Authorization` field for a request.
    ///
    /// Called for every request, since some schemes sign each one.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - url: the address of the request.
    /// - Returns: the value; `nil` to send the request without the field.
    /// - Throws: `SourceError` if there is no credential; `CancellationError`.
    func authorization(method: String, url: OriginURL) async throws -> String?

    /// Handles a response with 401.
    ///
    /// - Parameters:
    ///   - authorization: the value that was sent, if any.
    ///   - challenges: the `WWW-Authenticate` fields of the response.
    /// - Returns: whether another request may succeed, for example with a new token or after the
    ///   server's challenge.
    /// - Throws: `SourceError` if no new credential is available; `CancellationError`.
    func refused(_ authorization: String?, challenges: [String]) async throws -> Bool

    /// The scope of the cached responses: the account, if its credential is renewed from time to
    /// time, else this credential alone.
    var credentialScope: CredentialScope { get }

    /// The source of the credential, if known: the name of a variable, a file or an option.
    ///
    /// The message about a refused credential names the source.
    var credentialPlace: String? { get }
}

extension RequestAuthorizer {
    /// `nil`.
    public var credentialPlace: String? { nil }
}
