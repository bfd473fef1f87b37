// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension HTTPOrigin {
    /// The result of an exchange.
    enum Outcome: Sendable {
        /// The response was accepted and holds the body.
        case open(AcceptedAnswer, HTTPTransportResponse)
        case empty(ResourceDescription, at: Int64)
        case unchanged
    }

    /// Sends requests until the exchange accepts or refuses a response, and performs its effects.
    ///
    /// - Throws: ``/WeirSource/SourceError``; `CancellationError`, at once, when the task is
    ///   cancelled or the reader has ended.
    func ask(_ exchange: inout OriginExchange, for readerCancellation: ReaderCancellation)
        async throws -> Outcome
    {
        var refused: OriginLocation?
        while true {
            try readerCancellation.check()
            var response: HTTPTransportResponse?
            var effect: OriginExchange.Effect
            var authorization: String?
            if exchange.target == nil {
                try await self.locate(&exchange, after: refused, for: readerCancellation)
            }
            refused = nil
            do {
                authorization = try await exchange.authorization
                var received = try await self.send(
                    exchange,
                    with: authorization,
                    for: readerCancellation
                )
                let head = AnswerHead(status: received.status, headers: received.headers)
                if head.headers.contains("Set-Cookie") { self.setCookies(head.headers, &exchange) }
                received.body = WatchedBody(
                    received.body,
                    of: exchange.target?.url.authority ?? self.resource.authority,
                    limit: self.options.timeouts.idle,
                    timeline: self.timeline,
                    observer: self.observer
                )
                response = received
                effect = try await self.judge(
                    head,
                    &response,
                    with: &exchange,
                    for: readerCancellation
                )
            } catch let error as HTTPTransportError {
                let jitter = self.options.retry.jitter()
                effect = self.counting(&exchange) { $0.failed(error, jitter: jitter) }
            }
            if case .renew(let head) = effect {
                if let response { await self.drain(response.body, for: readerCancellation) }
                effect = try await self.renew(head, authorization, for: &exchange)
            }
            if case .consult(let head) = effect {
                effect = try await self.consult(
                    head,
                    response,
                    about: &exchange,
                    for: readerCancellation
                )
            }
            switch effect {
            case .open(let answer):
                guard var response else { continue }
                if let coding = answer.coding {
                    response.body = UnpackedBody(response.body, coding: coding)
                    response.isEndProven = true
                }
                self.remember(exchange, length: answer.description.length)
                return .open(answer, response)
            case .empty(let description, let offset):
                self.remember(exchange, length: description.length)
                if let response { await self.drain(response.body, for: readerCancellation) }
                return .empty(description, at: offset)
            case .unchanged:
                if let response { await self.drain(response.body, for: readerCancellation) }
                return .unchanged
            case .refuse(let error):
                response?.body.cancel()
                if exchange.isShortcutDead { self.memory.withLock { $0.shortcut = nil } }
                throw error
            case .follow(let from, let to):
                self.observer?(.redirected(from: from, to: to))
                if let response { await self.drain(response.body, for: readerCancellation) }
            case .send(let delay, let reason):
                response?.body.cancel()
                try await self.pause(delay, because: reason, exchange, for: readerCancellation)
            case .locate(let location):
                response?.body.cancel()
                refused = location
            case .consult, .renew:
                response?.body.cancel()
                throw exchange.check.refusal(status: 500)
            case .readPart:
                // The head of a part is judged only by its range, so it cannot announce another
                // part.
                response?.body.cancel()
                throw exchange.check.badAnswer("a part inside of a part", status: 206)
            }
        }
    }

    /// Passes an event to an exchange, and counts it in the budget of the resource.
    private func counting(
        _ exchange: inout OriginExchange,
        _ event: (inout OriginExchange) -> OriginExchange.Effect
    ) -> OriginExchange.Effect {
        let now = self.timeline.elapsed()
        return self.memory.withLock { exchange.counting(in: &$0.budget, at: now, event) }
    }

    /// Keeps the cookies of a response for this exchange and later ones.
    private func setCookies(_ headers: HTTPHeaderList, _ exchange: inout OriginExchange) {
        guard let url = exchange.target?.url else { return }
        let now = self.timeline.elapsed()
        exchange.setCookies(headers, at: now)
        self.memory.withLock { $0.cookies.received(headers, from: url, at: now) }
    }

    /// Asks the locator for a location.
    private func locate(
        _ exchange: inout OriginExchange,
        after refused: OriginLocation?,
        for readerCancellation: ReaderCancellation
    ) async throws {
        let (locator, range) = (self.locator, exchange.check.range)
        let location = try await Task.race(
            { try await locator.location(for: range, after: refused) },
            against: [readerCancellation.wait]
        )
        try exchange.located(location)
    }

    /// Asks the authorizer whether it has a better credential for the challenge.
    private func renew(
        _ head: AnswerHead,
        _ authorization: String?,
        for exchange: inout OriginExchange
    ) async throws -> OriginExchange.Effect {
        let challenges = head.headers.values(of: "WWW-Authenticate")
        let mayDoBetter =
            try await exchange.authorizer?.refused(authorization, challenges: challenges) ?? false
        let jitter = self.options.retry.jitter()
        return self.counting(&exchange) { $0.renewed(mayDoBetter, by: head, jitter: jitter) }
    }

    /// Asks the locator for a ruling on a response.
    private func consult(
        _ head: AnswerHead,
        _ response: HTTPTransportResponse?,
        about exchange: inout OriginExchange,
        for readerCancellation: ReaderCancellation
    ) async throws -> OriginExchange.Effect {
        guard let location = exchange.location else {
            let jitter = self.options.retry.jitter()
            return self.counting(&exchange) { $0.ruled(.standard, jitter: jitter) }
        }
        var excerpt: [UInt8] = []
        if let response { excerpt = await self.excerpt(of: response.body, for: readerCancellation) }
        let refusal = OriginFailure(
            location: location,
            isDirect: exchange.target?.url == location.url,
            status: head.status,
            headers: head.headers,
            body: excerpt,
            repetition: exchange.refusals
        )
        let locator = self.locator
        let ruling = try await Task.race(
            { await locator.ruling(on: refusal) },
            against: [readerCancellation.wait]
        )
        let jitter = self.options.retry.jitter()
        return self.counting(&exchange) { $0.ruled(ruling, jitter: jitter) }
    }

    /// Judges a response, and the head of its part if it is multipart.
    ///
    /// The body then becomes the part's body.
    private func judge(
        _ head: AnswerHead,
        _ response: inout HTTPTransportResponse?,
        with exchange: inout OriginExchange,
        for readerCancellation: ReaderCancellation
    ) async throws -> OriginExchange.Effect {
        let jitter = self.options.retry.jitter()
        let effect = self.counting(&exchange) { $0.answered(head, jitter: jitter) }
        guard case .readPart(let boundary) = effect, let whole = response else { return effect }
        let part = MultipartBody(whole.body, boundary: boundary)
        let headers = try await Task.race(
            { try await part.readHead() },
            against: [readerCancellation.wait]
        )
        let partEffect = self.counting(&exchange) {
            $0.answered(part: headers, of: head, jitter: jitter)
        }
        guard case .open(let answer) = partEffect, let upper = answer.bodyUpperBound else {
            return partEffect
        }
        part.begin(partLength: upper - answer.bodyLowerBound)
        response?.body = part
        response?.isEndProven = true
        return partEffect
    }

    private func send(
        _ exchange: OriginExchange,
        with authorization: String?,
        for readerCancellation: ReaderCancellation
    ) async throws -> HTTPTransportResponse {
        guard let target = exchange.target else { throw CancellationError() }
        var headers = exchange.requestHeaders
        if let authorization {
            headers.remove("Authorization")
            headers.append("Authorization", authorization)
        }
        try self.options.rule.check(target.url)
        var request = HTTPTransportRequest(url: target.url, headers: headers)
        request.rule = self.options.rule
        return try await self.transport.send(
            request,
            for: exchange.check.isRanged ? exchange.check.range : nil,
            within: self.options.timeouts,
            on: self.timeline,
            telling: self.observer,
            against: [readerCancellation.wait]
        )
    }

    private func pause(
        _ delay: Duration,
        because reason: String?,
        _ exchange: OriginExchange,
        for readerCancellation: ReaderCancellation
    ) async throws {
        guard let reason else { return }
        try readerCancellation.check()
        self.observer?(
            .retrying(
                resource: self.resource.display,
                offset: exchange.check.range.knownLowerBound ?? 0,
                after: delay,
                attempt: exchange.retry.nextAttempt,
                reason: reason
            )
        )
        guard exchange.isPauseAsked else {
            return try await readerCancellation.sleep(delay, on: self.timeline)
        }
        try await RetryPolicy.waitAsAsked(
            for: delay,
            by: self.resource.display,
            because: reason,
            telling: self.observer
        ) { try await readerCancellation.sleep($0, on: self.timeline) }
    }

    /// Reads the small rest of a body, so that its connection can be used again.
    ///
    /// If the rest exceeds 16 KiB or takes more than 250 ms, Weir closes the body and its
    /// connection.
    func drain(_ body: any HTTPBody, for readerCancellation: ReaderCancellation) async {
        _ = await self.excerpt(of: body, within: .milliseconds(250), for: readerCancellation)
    }

    /// Reads the first 16 KiB of a body, or a shorter body whole.
    ///
    /// The result is empty if the body fails, or does not arrive within the limit. Cancels the body
    /// in the end.
    func excerpt(
        of body: any HTTPBody,
        within limit: Duration = .seconds(2),
        for readerCancellation: ReaderCancellation
    ) async -> [UInt8] {
        let timeline = self.timeline
        let limits: [@Sendable () async throws -> Void] = [
            {
                try await timeline.sleep(limit)
                throw CancellationError()
            },
            readerCancellation.wait,
        ]
        let bytes = try? await Task.race(
            {
                var bytes: [UInt8] = []
                while bytes.count < 16 * 1024, let memory = try await body.next() {
                    memory.withUnsafeBytes { bytes += $0.prefix(16 * 1024 - bytes.count) }
                }
                return bytes
            },
            against: limits
        )
        body.cancel()
        return bytes ?? []
    }

    private func remember(_ exchange: OriginExchange, length: Int64?) {
        self.memory.withLock { memory in
            memory.capabilities.learned(exchange.capabilities)
            if let from = exchange.location?.url, let target = exchange.target {
                memory.shortcut =
                    target.url == from ? nil : (from: from, target: target)
            }
            if let length { memory.length = length }
        }
    }
}

extension OriginExchange {
    /// The value of `Authorization` for the next request, made by the location's authorizer.
    fileprivate var authorization: String? {
        get async throws {
            guard let authorizer, let url = self.target?.url else { return nil }
            return try await authorizer.authorization(method: "GET", url: url)
        }
    }
}
