// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Everything that the service knows and decides: a request in, an answer out.
///
/// It has no clock and no socket. Reading files for checksums is all it does to the world.
struct YandexDiskMachine: Sendable {
    let account: YandexDiskAccount
    /// Where each server listens, as `127.0.0.1:8080`.
    var authorities: [Door: String] = [:]
    var behaviour: Behaviour
    var tree = DiskTree()
    var tokens: TokenBook
    var links: LinkBook
    /// What the link host has sent elsewhere, and with which range.
    var redirected: [String: String?] = [:]

    /// Starts with an empty disk.
    ///
    /// - Parameters:
    ///   - account: whose it is.
    ///   - behaviour: the switches.
    ///   - key: what signs links and makes tokens; another one for tests that repeat themselves.
    init(
        account: YandexDiskAccount = YandexDiskAccount(),
        behaviour: Behaviour = Behaviour(),
        key: SymmetricKey = SymmetricKey(size: .bits256)
    ) {
        self.account = account
        self.behaviour = behaviour
        self.tokens = TokenBook(fixed: account.tokens, key: key)
        self.links = LinkBook(key: key)
    }

    /// What a URL at a server begins with.
    func base(of door: Door) -> String { "http://\(self.authorities[door] ?? "127.0.0.1:0")" }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: what came.
    ///   - door: the server that it came to.
    ///   - now: Unix seconds.
    /// - Returns: the answer, with what is to be noted of the request.
    mutating func answer(
        _ request: ServerRequest,
        at door: Door,
        now: Double
    ) -> ServerAnswer {
        do {
            try StrictRules(authority: self.authorities[door] ?? "", methods: door.methods)
                .check(request)
            var answer = try self.dispatch(request, at: door, now: now)
            self.spoilConnection(&answer, at: door)
            return answer
        } catch {
            var answer = error.answer ?? door.refusal(error.violation ?? "The request is wrong.")
            answer.violation = error.violation
            return answer
        }
    }

    private mutating func dispatch(
        _ request: ServerRequest,
        at door: Door,
        now: Double
    ) throws(Refusal) -> ServerAnswer {
        switch door {
        case .api: try self.answerAPI(request, now: now)
        case .link: try self.answerLink(request, now: now)
        case .other: try self.answerRedirected(request, now: now)
        case .oauth: try self.answerOAuth(request, now: now)
        case .webdav: try self.answerWebDAV(request, now: now)
        }
    }

    /// What goes wrong with the sending, whatever is sent.
    private mutating func spoilConnection(_ answer: inout ServerAnswer, at door: Door) {
        if let fault = self.behaviour.take(.slowFirstByte, at: door) {
            answer.delay = min(max(fault.value ?? 1000, 0), 3_600_000)
        }
        if self.behaviour.take(.answerLost, at: door) != nil {
            answer.ending = .lost
        } else if let fault = self.behaviour.take(.bodyCut, at: door) {
            answer.ending = .cut(after: max(fault.value ?? 0, 0))
        } else if let fault = self.behaviour.take(.bodyStalled, at: door) {
            answer.ending = .stalled(after: max(fault.value ?? 0, 0))
        }
    }
}

/// Requests that are right and refused all the same.
extension YandexDiskMachine {
    /// Refuses a request if a fault says so; the first that is due of these, in this order.
    mutating func refuseByFault(at door: Door) throws(Refusal) {
        let refusals: [(Fault.Name, Int, String)] = [
            (.rateLimited, 429, "TooManyRequestsError"),
            (.downloadLimit, 429, "DiskResourceDownloadLimitExceededError"),
            (.forbidden, 403, "ForbiddenError"),
            (.locked, 423, "DiskResourceLockedError"),
            (.unavailable, 503, "DiskServiceUnavailableError"),
            (.diskFull, 507, "DiskNoFreeSpaceError"),
        ]
        for (name, status, error) in refusals {
            guard let fault = self.behaviour.take(name, at: door) else { continue }
            var answer = door == .api ? ServerAnswer.apiError(status, error, error) : .page(status)
            if name == .rateLimited || name == .unavailable, let seconds = fault.value {
                answer.fields.append(HeaderField("Retry-After", String(seconds)))
            }
            throw .answer(answer)
        }
    }
}
