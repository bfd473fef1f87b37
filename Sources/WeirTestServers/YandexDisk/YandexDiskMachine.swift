// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The state and the decisions of the service: takes a request, and returns an answer.
///
/// It has no clock and no socket. Its only effect is to read files for checksums.
struct YandexDiskMachine: Sendable {
    let account: YandexDiskAccount
    /// The address at which each server listens, as `127.0.0.1:8080`.
    var authorities: [ServiceHost: String] = [:]
    var behaviour: Behaviour
    var tree = DiskTree()
    var tokens: TokenTable
    var links: LinkTable
    /// The targets that the link host has redirected, each with its range.
    var redirected: [String: String?] = [:]

    /// Starts with an empty disk.
    ///
    /// - Parameters:
    ///   - account: the owner of the disk.
    ///   - behaviour: the switches.
    ///   - key: signs links and makes tokens; a fixed one for tests that must repeat.
    init(
        account: YandexDiskAccount = YandexDiskAccount(),
        behaviour: Behaviour = Behaviour(),
        key: SymmetricKey = SymmetricKey(size: .bits256)
    ) {
        self.account = account
        self.behaviour = behaviour
        self.tokens = TokenTable(fixed: account.tokens, key: key)
        self.links = LinkTable(key: key)
    }

    /// The start of every URL at a server.
    func base(of host: ServiceHost) -> String {
        "http://\(self.authorities[host] ?? "127.0.0.1:0")"
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: the request as received.
    ///   - host: the server that received it.
    ///   - now: Unix seconds.
    /// - Returns: the answer, with the client's mistake to record.
    mutating func answer(
        _ request: ServerRequest,
        at host: ServiceHost,
        now: Double
    ) -> ServerAnswer {
        do {
            try request.check(authority: self.authorities[host] ?? "", methods: host.methods)
            var answer = try self.dispatch(request, at: host, now: now)
            self.spoilConnection(&answer, at: host)
            return answer
        } catch {
            var answer = error.answer ?? host.refusal(error.violation ?? "The request is wrong.")
            answer.violation = error.violation
            return answer
        }
    }

    private mutating func dispatch(
        _ request: ServerRequest,
        at host: ServiceHost,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
        switch host {
        case .api: try self.answerAPI(request, now: now)
        case .link: try self.answerLink(request, now: now)
        case .other: try self.answerRedirected(request, now: now)
        case .oauth: try self.answerOAuth(request, now: now)
        case .webdav: try self.answerWebDAV(request, now: now)
        }
    }

    /// Applies the faults of the connection, whatever the answer is.
    private mutating func spoilConnection(_ answer: inout ServerAnswer, at host: ServiceHost) {
        if let fault = self.behaviour.take(.slowFirstByte, at: host) {
            answer.delay = min(max(fault.value ?? 1000, 0), 3_600_000)
        }
        if self.behaviour.take(.answerLost, at: host) != nil {
            answer.ending = .lost
        } else if let fault = self.behaviour.take(.bodyCut, at: host) {
            answer.ending = .cut(after: max(fault.value ?? 0, 0))
        } else if let fault = self.behaviour.take(.bodyStalled, at: host) {
            answer.ending = .stalled(after: max(fault.value ?? 0, 0))
        }
    }
}

/// Refusals of correct requests.
extension YandexDiskMachine {
    /// Refuses a request if a fault is due; checks these faults in this order.
    mutating func refuseByFault(at host: ServiceHost) throws(ServerError) {
        let refusals: [(Fault.Name, Int, String)] = [
            (.rateLimited, 429, "TooManyRequestsError"),
            (.downloadLimit, 429, "DiskResourceDownloadLimitExceededError"),
            (.forbidden, 403, "ForbiddenError"),
            (.locked, 423, "DiskResourceLockedError"),
            (.unavailable, 503, "DiskServiceUnavailableError"),
            (.diskFull, 507, "DiskNoFreeSpaceError"),
        ]
        for (name, status, error) in refusals {
            guard let fault = self.behaviour.take(name, at: host) else { continue }
            var answer = host == .api ? ServerAnswer.apiError(status, error, error) : .page(status)
            if name == .rateLimited || name == .unavailable, let seconds = fault.value {
                answer.fields.append(HeaderField("Retry-After", String(seconds)))
            }
            throw .answer(answer)
        }
    }
}
