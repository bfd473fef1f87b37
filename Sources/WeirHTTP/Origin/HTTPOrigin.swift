// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// A resource on an HTTP origin, as a byte source.
///
/// Every read starts with one ranged GET, whose response also brings the description. `HTTPOrigin`
/// checks status, `Content-Range`, length, validator, coding and type before it yields a byte. A
/// reading that breaks off continues at the same byte and in the same generation, or fails.
/// `HTTPOrigin` reads only one piece of the body ahead of the consumer, besides the contents of the
/// system's socket buffer.
///
/// If no response gives a length, the proven end of a reading shows it: for example, the last chunk
/// of a chunked body. ``availability`` then has the length. A body that ends because its connection
/// closes proves no end (``/WeirSource/ByteReading/provesEnd``), and the length stays unknown.
package final class HTTPOrigin: ByteSource {
    /// The value of `User-Agent` unless the user's headers have one.
    package static let userAgent = "Weir/0.1.0"

    /// The facts learned from earlier responses.
    struct Memory {
        var capabilities = OriginCapabilities()
        /// The cookies that responses have set; they are kept only in memory.
        var cookies = CookieJar()
        /// The target of the origin's redirect when a response was last accepted.
        var shortcut: (from: OriginURL, target: OriginExchange.Target)?
        var length: Int64?
        /// The budget for failures, which all readings share.
        var budget = RetryBudget()
        /// How many readings and exchanges are active.
        var useCount = 0
    }

    /// The resource's name.
    package let resource: ResourceName

    let locator: any OriginLocator
    let options: Options
    let transport: any HTTPTransport
    let timeline: Timeline
    let observer: SourceObserver?
    let memory = Mutex(Memory())
    /// Takes a remembered chain of redirects from the location, if there is one.
    private let walks: (@Sendable () -> RedirectMemory.Walk?)?

    /// Creates an origin for an address; it sends nothing yet.
    ///
    /// `redirects` remembers the redirects of earlier requests for the same address with the same
    /// headers.
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

    /// Creates an origin whose location a locator gives for each request.
    ///
    /// Of the options' headers only `User-Agent` is sent.
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

    /// The user's headers without the fields that only Weir may set.
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

    /// Describes the resource from the response to a request for its first 512 bytes.
    ///
    /// Never sends a HEAD, which many servers answer wrongly or not at all. Never requests the
    /// range `0-0`, which some servers read as the whole resource. If an origin cannot serve this
    /// range, Weir requests the whole resource, and stops after the head of the response.
    package func describe() async throws -> ResourceDescription {
        try await self.describe(version: nil)
    }

    /// Starts to read, with one request.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard (demand.range.knownLowerBound ?? 0) >= 0 else {
            throw SourceError(
                .invalidRequest,
                "The range \(demand.range) starts before the first byte; request a range that starts at 0 or later.",
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
        guard let reading = try await self.reading(by: &exchange, of: use) else {
            throw exchange.check.uncalledFor304()
        }
        return reading
    }

    /// Reads the whole resource with one request without a range.
    ///
    /// - Parameter tag: an entity tag of the resource, which makes the request conditional.
    /// - Returns: the reading; `nil` if the resource still has the tag.
    /// - Throws: as ``read(_:)``.
    package func readWhole(unless tag: String? = nil) async throws -> ByteReading? {
        let use = Use(of: self)
        var exchange = self.exchange(.whole, version: nil, retry: RetryMachine(self.retryPolicy))
        exchange.askWithoutRange()
        if let tag { exchange.confirm(tag) }
        return try await self.reading(by: &exchange, of: use)
    }

    /// Starts a reading with an exchange; `nil` if the resource still has the tag that the request names.
    private func reading(
        by exchange: inout OriginExchange,
        of use: Use
    ) async throws -> ByteReading? {
        switch try await self.ask(&exchange, for: ReaderCancellation()) {
        case .unchanged:
            return nil
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
            // If the head gives the type of a page, the bytes decide what the resource is.
            if answer.isTypedAsPage { try await producer.waitForFirstBytes() }
            return ByteReading(
                resource: answer.description,
                lowerBound: answer.lowerBound,
                upperBound: answer.description.length == nil ? nil : answer.upperBound,
                provesEnd: provesEnd,
                coversWhole: answer.coversWhole,
                connected: producer
            )
        }
    }

    /// The address that the last accepted response came from, if redirects led to it; `nil` without redirects.
    package var redirectedURL: OriginURL? { self.memory.withLock { $0.shortcut?.target.url } }

    /// Holds no bytes; has the length once a response has given it or the end of a body has proven
    /// it.
    package var availability: Availability {
        Availability(held: RangeSet(), length: self.memory.withLock { $0.length })
    }

    /// Counts a reading or an exchange while the reference lives.
    ///
    /// A reading or an exchange that starts while no other is active gets a full budget.
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

    /// The retry policy; no retries for a reader that has already spent its retry allowance.
    private var retryPolicy: RetryPolicy {
        RetryAllowance.isSpent ? .never : self.options.retry
    }

    /// Starts an exchange about a range.
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
            // Without a version, the origin itself must describe the resource, unless its redirects
            // were just followed (`walk`).
            shortcut: walk.map { (from: $0.from, target: $0.target) }
                ?? (version == nil ? nil : memory.shortcut),
            retry: retry
        )
        if memory.length == 0 { exchange.askWithoutRange() }
        return exchange
    }

    /// Whether the resource is still of this version, from a request for its first bytes.
    ///
    /// The request has `If-None-Match` if the version has an entity tag (RFC 9110 §13.1.2). If the
    /// resource has changed, the response describes it. Weir does not use a date as a condition:
    /// servers also answer `If-Modified-Since` with 304 for an older file.
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
                    "is a different version now",
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

    /// - Returns: `nil` if the resource still has the entity tag that the request named.
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
                // As in every reading, the first bytes decide whether the resource is a page.
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
