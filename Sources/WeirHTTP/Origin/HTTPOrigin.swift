// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// A resource on an HTTP origin, as a byte source.
///
/// Every read is one ranged GET that also brings the description. Answers are checked before a byte of
/// them is yielded: status, `Content-Range`, length, validator, coding and type. A reading that breaks
/// off is resumed at the byte, in the same generation or not at all. Nothing is read ahead of the
/// consumer but one piece of the body and what the system's socket buffer holds.
///
/// Where a resource ends that told no length is known when its reading has ended with a proof (a body
/// in chunks); ``availability`` then tells the length. A body that ends with its connection is said
/// to prove nothing (``/WeirSource/ByteReading/provesEnd``), and the length stays unknown.
package final class HTTPOrigin: ByteSource {
    /// What is sent as `User-Agent` unless the user's headers hold another.
    package static let userAgent = "Weir/0.1.0"

    /// What the answers so far have taught.
    struct Memory {
        var capabilities = OriginCapabilities()
        /// The cookies that answers have set; kept nowhere else.
        var cookies = CookieJar()
        /// Where the origin redirected to when an answer was last accepted.
        var shortcut: (from: OriginURL, target: OriginExchange.Target)?
        var length: Int64?
        /// The failures that all readings count together.
        var budget = RetryBudget()
        /// How many readings and questions there are.
        var useCount = 0
    }

    /// How the resource is called.
    package let resource: ResourceName

    let locator: any OriginLocator
    let options: Options
    let transport: any HTTPTransport
    let timeline: Timeline
    let observer: SourceObserver?
    let memory = Mutex(Memory())
    /// Where redirects of the location led when it was asked as something else.
    private let walks: (@Sendable () -> RedirectMemory.Walk?)?

    /// Describes where a resource is and how it is asked for; nothing is sent yet.
    ///
    /// `redirects` knows where they led when the same address was asked with the same headers.
    package convenience init(
        url: OriginURL,
        options: Options = Options(),
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        redirects: RedirectMemory? = nil,
        observer: SourceObserver? = nil
    ) {
        var walks: (@Sendable () -> RedirectMemory.Walk?)?
        if let redirects {
            let headers = options.headers
            walks = { redirects.take(from: url, sending: headers) }
        }
        self.init(
            locator: FixedLocator(url, headers: Self.checked(options.headers)),
            options: options,
            transport: transport,
            clock: clock,
            walks: walks,
            observer: observer
        )
    }

    /// A resource at a location that a locator names, request by request; of the options' headers only
    /// `User-Agent` is sent.
    package convenience init(
        locator: any OriginLocator,
        options: Options = Options(),
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        observer: SourceObserver? = nil
    ) {
        self.init(
            locator: locator,
            options: options,
            transport: transport,
            clock: clock,
            walks: nil,
            observer: observer
        )
    }

    private init(
        locator: any OriginLocator,
        options: Options,
        transport: any HTTPTransport,
        clock: any Clock<Duration>,
        walks: (@Sendable () -> RedirectMemory.Walk?)?,
        observer: SourceObserver?
    ) {
        self.walks = walks
        self.resource = locator.resource
        self.locator = locator
        self.options = options
        self.transport = transport
        self.timeline = Timeline(clock)
        self.observer = observer
    }

    /// The user's headers without what only Weir may say.
    private static func checked(_ headers: HTTPHeaderList) -> HTTPHeaderList {
        var headers = headers
        headers.remove(
            "Range",
            "If-Range",
            "If-Match",
            "If-None-Match",
            "If-Modified-Since",
            "If-Unmodified-Since",
            "Accept-Encoding",
            "TE",
            "Connection",
            "Upgrade",
            "Expect",
            "Content-Length",
            "Transfer-Encoding"
        )
        return headers
    }

    /// Tells what the resource is, from the answer to a request for its first 512 bytes.
    ///
    /// Never a HEAD, which many servers answer wrongly or not at all, and never `0-0`, which some take
    /// for the whole. An origin that cannot say it about a range is asked for the whole, and left when
    /// the head has come.
    package func describe() async throws -> ResourceDescription {
        try await self.describe(version: nil)
    }

    /// Starts to read, with one request.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard (demand.range.knownLowerBound ?? 0) >= 0 else {
            throw SourceError(
                .invalidRequest,
                "The range \(demand.range) starts before the first byte; ask for one from 0 on.",
                host: self.resource.authority
            )
        }
        guard !demand.range.isEmpty else { return try await self.readNothing(demand) }
        let use = Use(of: self)
        var exchange = self.exchange(
            demand.range,
            version: demand.version,
            retry: RetryMachine(self.retryPolicy)
        )
        exchange.takesWhole(demand.takesWhole)
        switch try await self.ask(&exchange, for: ReaderCancellation()) {
        case .unchanged:
            throw exchange.check.uncalledFor304()
        case .empty(let description, let offset):
            return .empty(description, at: offset)
        case .open(let answer, let response):
            let provesEnd = answer.description.length != nil || response.isEndProven
            let producer = OriginReading(
                self,
                exchange: exchange,
                answer: answer,
                response: response,
                use: use
            )
            // Where the head says that a page comes, its bytes say what the resource is.
            if answer.isTypedAsPage { try await producer.waitForFirstBytes() }
            return ByteReading(
                resource: answer.description,
                lowerBound: answer.lowerBound,
                upperBound: answer.description.length == nil ? nil : answer.upperBound,
                provesEnd: provesEnd,
                coversWhole: answer.coversWhole,
                producer: producer
            )
        }
    }

    /// Nothing is held; the length, once an answer has told it or the end of a body has proven it.
    package var availability: Availability {
        Availability(held: RangeSet(), length: self.memory.withLock { $0.length })
    }

    /// Counts a reading or a question, for as long as its reference lives.
    ///
    /// The first one after a time without any starts with a budget that nothing was spent of.
    final class Use: Sendable {
        private let origin: HTTPOrigin

        init(of origin: HTTPOrigin) {
            self.origin = origin
            origin.memory.withLock { memory in
                if memory.useCount == 0 { memory.budget = RetryBudget() }
                memory.useCount += 1
            }
        }

        deinit {
            self.origin.memory.withLock { $0.useCount -= 1 }
        }
    }

    /// How often is tried: once only for a reader that has spent the budget of the resource elsewhere.
    private var retryPolicy: RetryPolicy {
        RetryAllowance.isSpent ? .never : self.options.retry
    }

    /// Starts a question about a range.
    func exchange(_ range: RequestedRange, version: ReadDemand.Version?, retry: RetryMachine)
        -> OriginExchange
    {
        let now = self.timeline.elapsed()
        let walk = self.walks?()
        let memory = self.memory.withLock { memory in
            memory.cookies.expire(at: now)
            if let walk, memory.cookies.isEmpty { memory.cookies = walk.cookies }
            return memory
        }
        let check = AnswerCheck(
            resource: self.resource,
            range: range,
            version: version,
            maximumDiscard: self.options.maximumDiscard,
            validatorPolicy: self.options.validator
        )
        var exchange = OriginExchange(
            check: check,
            userAgent: self.options.headers["User-Agent"] ?? Self.userAgent,
            rulesOnRefusals: self.locator.rulesOnRefusals,
            maximumRedirects: self.options.maximumRedirects,
            capabilities: memory.capabilities,
            cookies: memory.cookies,
            // A question about what the resource is now is the origin's own to answer, if it was not asked just now.
            shortcut: walk.map { (from: $0.from, target: $0.target) }
                ?? (version == nil ? nil : memory.shortcut),
            retry: retry
        )
        if memory.length == 0 { exchange.askWithoutRange() }
        return exchange
    }

    /// Asks with `If-None-Match` where the version has an entity tag (RFC 9110 §13.1.2), and for the first
    /// bytes: that answer says what the resource is if it is not the same.
    ///
    /// A date is not asked by: `If-Modified-Since` is answered with 304 for an older file, too.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        if let known = try await self.locator.describe() { return version.agrees(with: known) }
        let retry = RetryPolicy(maximumRetries: 0, maximumFirstRetries: 0)
        var exchange = self.exchange(
            .head,
            version: nil,
            retry: RetryMachine(retry, isShared: false)
        )
        if version.length == 0 { exchange.askWithoutRange() }
        if case .entityTag(let tag) = version.validator { exchange.confirm(tag) }
        guard let description = try await self.describe(by: &exchange) else {
            return true
        }
        return version.agrees(with: description)
    }

    private func describe(version: ReadDemand.Version?) async throws -> ResourceDescription {
        if let known = try await self.locator.describe() {
            guard version?.agrees(with: known) != false else {
                throw AnswerCheck(resource: self.resource, range: .whole, version: version).changed(
                    "is another one now",
                    status: nil
                )
            }
            return known
        }
        var exchange = self.exchange(.head, version: version, retry: RetryMachine(self.retryPolicy))
        guard let description = try await self.describe(by: &exchange) else {
            throw exchange.check.uncalledFor304()
        }
        return description
    }

    /// - Returns: `nil` if the resource is still what the question named.
    private func describe(by exchange: inout OriginExchange) async throws -> ResourceDescription? {
        let use = Use(of: self)
        defer { withExtendedLifetime(use) {} }
        let readerCancellation = ReaderCancellation()
        switch try await self.ask(&exchange, for: readerCancellation) {
        case .unchanged:
            return nil
        case .empty(let description, _):
            return description
        case .open(let answer, let response):
            if answer.isTypedAsPage {
                // A reading finds out what the bytes are, here as everywhere.
                let reading = OriginReading(
                    self,
                    exchange: exchange,
                    answer: answer,
                    response: response,
                    use: use
                )
                defer { reading.cancel() }
                try await reading.waitForFirstBytes()
            }
            let isShort = answer.bodyUpperBound.map { $0 <= RequestedRange.headLength } ?? false
            if isShort, !answer.isTypedAsPage {
                await self.drain(response.body, for: readerCancellation)
            } else {
                response.body.cancel()
            }
            return answer.description
        }
    }

    private func readNothing(_ demand: ReadDemand) async throws -> ByteReading {
        let description = try await self.describe(version: demand.version)
        guard let length = description.length else {
            return .empty(description, at: demand.range.knownLowerBound ?? 0)
        }
        guard let range = demand.range.resolved(inLength: length) else {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        return .empty(description, at: range.lowerBound)
    }
}

extension HTTPOrigin: CustomStringConvertible {
    /// The resource's name.
    package var description: String { self.resource.display }
}
