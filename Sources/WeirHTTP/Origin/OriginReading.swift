// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A reading of an origin: pulls bodies, hands on the wanted bytes, and continues after a break.
final class OriginReading: ConnectedProducer {
    private struct State {
        var machine: ReadingMachine
        var retry: RetryMachine
        var version: ReadDemand.Version
        /// The current response; `nil` when the next one must be requested.
        var response: HTTPTransportResponse?
        /// The location of the current body.
        var location: OriginLocation?
        /// Chunks from the machine that the reading has not yet handed on.
        var queue: [ByteChunk] = []
        /// How many wanted bytes the current body has brought.
        var progress: Int64 = 0
        /// Whether the first response proves the end of its body
        /// (``HTTPTransportResponse/isEndProven``).
        let provesEnd: Bool
        /// Whether the current body is not the first.
        var isContinuation = false
        var failure: SourceError?
        /// Whether a consumer waits for a chunk.
        var isPulling = false
        /// Whether another request took the connection while a consumer waited for bytes.
        var hasGivenWay = false
        /// Whether the reading can continue at its byte over another connection.
        var canYield: Bool

        /// The next chunk, or its start if it is longer than the limit.
        mutating func takeChunk(upTo limit: Int64) -> ByteChunk? {
            guard let chunk = self.queue.first else { return nil }
            let middle = chunk.range.lowerBound.addingClamped(limit)
            if let rest = chunk.clamped(to: middle..<max(middle, chunk.range.upperBound)) {
                self.queue[0] = rest
                return chunk.clamped(to: chunk.range.lowerBound..<middle)
            }
            return self.queue.removeFirst()
        }
    }

    private enum Step {
        case yield(ByteChunk)
        case pull(HTTPTransportResponse)
        case reopen
        /// Reads the end of a body that has brought all its bytes.
        case close(HTTPTransportResponse)
        case finish(leaving: HTTPTransportResponse?)
        case fail(SourceError, leaving: HTTPTransportResponse?)
    }

    private let origin: HTTPOrigin
    private let readerCancellation = ReaderCancellation()
    private let use: HTTPOrigin.Use
    private let state: Mutex<State>

    init(
        _ origin: HTTPOrigin,
        exchange: OriginExchange,
        answer: AcceptedAnswer,
        response: HTTPTransportResponse,
        use: HTTPOrigin.Use
    ) {
        self.origin = origin
        self.use = use
        // The reading may use every retry of the options, even if its first exchange was not
        // allowed to retry.
        var retry = RetryMachine(origin.options.retry)
        retry.answered()
        self.state = Mutex(
            State(
                machine: ReadingMachine(answer, expectsPage: exchange.check.expectsPage),
                retry: retry,
                version: answer.description.version,
                response: response,
                location: exchange.location,
                provesEnd: response.isEndProven,
                canYield: answer.description.acceptsRanges == true
            )
        )
        self.offer(response.slot)
    }

    func next() async throws -> ByteChunk? {
        try await self.next(paced: true)
    }

    /// Waits for the first bytes, which the next call of ``next()`` returns.
    ///
    /// - Throws: `SourceError`, also for a page where media was expected.
    func waitForFirstBytes() async throws {
        guard let chunk = try await self.next(paced: false) else { return }
        self.state.withLock { $0.queue.insert(chunk, at: 0) }
    }

    private func next(paced: Bool) async throws -> ByteChunk? {
        self.state.withLock { $0.isPulling = true }
        defer { self.state.withLock { $0.isPulling = false } }
        return try await withTaskCancellationHandler {
            let chunk = try await self.pull()
            if paced, let chunk { try await self.pace(chunk.count) }
            return chunk
        } onCancel: {
            self.cancel()
        }
    }

    func cancel() {
        self.readerCancellation.cancel()
        self.state.withLock { $0.response }?.body.cancel()
    }

    func abandoned(_ giveWay: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.response?.slot }?.abandoned(giveWay)
    }

    func reclaimed() {
        self.state.withLock { $0.response?.slot }?.reclaimed()
    }

    /// Offers the connection to waiting requests for the host, if the reading can continue over
    /// another.
    private func offer(_ slot: ConnectionSlot?) {
        guard let slot, self.state.withLock({ $0.canYield }) else { return }
        slot.yields { [weak self] isInUse in self?.giveWay(isInUse: isInUse) ?? false }
    }

    /// Gives the connection up; the next pull requests the next byte, as after a break.
    private func giveWay(isInUse: Bool) -> Bool {
        let response = self.state.withLock { state -> HTTPTransportResponse? in
            guard isInUse || !state.isPulling, !state.machine.isFinished, state.failure == nil
            else { return nil }
            state.hasGivenWay = state.isPulling
            return state.response.take()
        }
        response?.body.cancel()
        return response != nil
    }

    /// Whether the body was cancelled for another request, so that the reading continues.
    private func hasGivenWay() -> Bool {
        self.state.withLock { state in
            defer { state.hasGivenWay = false }
            return state.hasGivenWay
        }
    }

    private func pull() async throws -> ByteChunk? {
        let limit = self.origin.options.rateLimiter?.pieceSize ?? .max
        while true {
            try self.readerCancellation.check()
            switch self.state.withLock({ Self.step(&$0, upTo: limit) }) {
            case .yield(let chunk):
                return chunk
            case .close(let response):
                try await self.close(response)
            case .finish(let response):
                response?.body.cancel()
                return nil
            case .fail(let error, let response):
                response?.body.cancel()
                throw error
            case .reopen:
                try await self.reopen()
            case .pull(let response):
                do {
                    if let memory = try await response.body.next() {
                        self.received(memory)
                    } else {
                        try await self.ended(response)
                    }
                } catch let error as HTTPTransportError {
                    try await self.brokeOff(error)
                } catch is CancellationError where self.hasGivenWay() {
                    continue
                }
            }
        }
    }

    private static func step(_ state: inout State, upTo limit: Int64) -> Step {
        if let chunk = state.takeChunk(upTo: limit) { return .yield(chunk) }
        if let failure = state.failure { return .fail(failure, leaving: state.response.take()) }
        if state.machine.isFinished {
            if state.machine.isBodyRead, let response = state.response { return .close(response) }
            return .finish(leaving: state.response.take())
        }
        return state.response.map { .pull($0) } ?? .reopen
    }

    /// Reads the end of a body after its last byte, so that its connection can be used again.
    private func close(_ response: HTTPTransportResponse) async throws {
        defer { self.state.withLock { $0.response = nil } }
        do {
            guard try await response.body.next() != nil else { return }
            self.state.withLock { state in
                state.failure = self.check(state).badAnswer(
                    "more bytes than it announced",
                    status: nil
                )
            }
        } catch let error as HTTPTransportError where error.code == .malformed {
            self.state.withLock { state in
                state.failure = self.check(state).badAnswer(error.reason, status: nil)
            }
        } catch is HTTPTransportError {
            // All bytes have arrived; a failure of the connection does not matter.
        }
    }

    private func received(_ memory: ByteMemory) {
        self.origin.locator.bytesFlow()
        self.state.withLock { state in
            let before = state.machine.position
            let arrival = state.machine.received(memory)
            let count = state.machine.position - before
            if count > 0 {
                state.progress += count
                let left = state.machine.end.map { $0 - state.machine.position }
                self.counting(&state) { $0.progressed(by: count, before: left) }
            }
            let check = self.check(state)
            switch arrival {
            case .nothing: break
            case .chunks(let chunks): state.queue += chunks
            case .mismatch:
                state.failure = check.changed(
                    "no longer has the bytes that it had before the connection broke",
                    status: nil
                )
            case .page:
                state.failure = check.page(status: nil, isHTML: state.machine.isHTMLPage)
            case .excess:
                state.failure = check.badAnswer("more bytes than it announced", status: nil)
            }
        }
    }

    private func ended(_ response: HTTPTransportResponse) async throws {
        let isCutShort = self.state.withLock { state in
            let check = self.check(state)
            let isUnproven = !response.isEndProven && state.machine.lengthShownByEnd != nil
            // The reading promises a proven end, and this body proves none, so its end counts as a
            // break.
            if isUnproven, state.provesEnd, state.machine.end == nil { return true }
            switch state.machine.ended() {
            case .finished(let chunks):
                if response.isEndProven, let length = state.machine.lengthShownByEnd {
                    self.origin.memory.withLock { $0.length = length }
                }
                state.queue += chunks
                state.response = nil
                return false
            case .more:
                state.response = nil
                // A continuation with too few bytes counts as a break. The first body may be as
                // short as the origin likes, so it counts as a break only if it brought no wanted
                // byte.
                guard state.isContinuation else { return state.progress == 0 }
                let left = state.machine.end.map { $0 - state.machine.position }
                return !RetryBudget.isProgress(state.progress, before: left)
            case .cutShort:
                return true
            case .pastTheEnd(let length):
                state.failure =
                    state.isContinuation
                    ? check.changed("now ends at byte \(length)", status: nil)
                    : check.pastTheEnd(.from(state.machine.position), length: length)
                return false
            case .page:
                state.failure = check.page(status: nil, isHTML: state.machine.isHTMLPage)
                return false
            }
        }
        if isCutShort {
            try await self.brokeOff(
                HTTPTransportError(.connectionLost, "the body ended before its announced end")
            )
        }
    }

    /// Handles a body that broke off: waits before the request for the rest, or gives up.
    private func brokeOff(_ error: HTTPTransportError) async throws {
        let jitter = self.origin.options.retry.jitter()
        let ended = self.state.withLock { $0.location }.map { self.origin.locator.hasEnded($0) }
        let (delay, offset, attempt, response) = self.state.withLock {
            state -> (Duration?, Int64, RequestAttempt, HTTPTransportResponse?) in
            let response = state.response
            state.response = nil
            let check = self.check(state)
            guard error.code == .connectionLost || error.code == .idleTimedOut else {
                state.failure =
                    error.code == .malformed
                    ? check.badAnswer(error.reason, status: nil)
                    : check.failure(error, host: self.origin.resource.authority)
                return (nil, 0, state.retry.nextAttempt, response)
            }
            let decision = self.counting(&state) { $0.failed(.lost, jitter: jitter) }
            if case .retry(let delay) = decision {
                return (
                    ended == true ? .zero : delay, state.machine.position, state.retry.nextAttempt,
                    response
                )
            }
            state.failure = check.brokenOff(
                error,
                at: state.machine.position,
                length: state.version.length
            )
            return (nil, 0, state.retry.nextAttempt, response)
        }
        response?.body.cancel()
        guard let delay else { return }
        // A reader that has ended does not wait, and its observer gets no further attempt.
        try self.readerCancellation.check()
        self.origin.observer?(
            .retrying(
                resource: self.origin.resource.display,
                offset: offset,
                after: delay,
                attempt: attempt,
                reason: error.reason
            )
        )
        try await self.readerCancellation.sleep(delay, on: self.origin.timeline)
    }

    /// Requests the rest.
    private func reopen() async throws {
        var exchange = self.state.withLock { state in
            self.origin.exchange(state.machine.rest, version: state.version, retry: state.retry)
        }
        do {
            let outcome = try await self.origin.ask(&exchange, for: self.readerCancellation)
            if case .open(_, let response) = outcome { self.offer(response.slot) }
            self.state.withLock { state in
                state.retry = exchange.retry
                state.progress = 0
                state.hasGivenWay = false
                state.isContinuation = true
                switch outcome {
                case .open(let answer, let response):
                    state.machine.began(answer)
                    state.location = exchange.location
                    state.version.length = state.version.length ?? answer.description.length
                    state.response = response
                case .empty:
                    state.queue += state.machine.reachedEnd()
                case .unchanged:
                    state.failure = exchange.check.uncalledFor304()
                }
            }
        } catch let error as SourceError {
            self.state.withLock { state in
                guard error.code == .rangeNotSatisfiable else {
                    state.failure = error
                    return
                }
                // Without a known end, a range past the end shows the end. With a known end, the
                // resource has shrunk.
                let isExact = state.machine.rest.knownLowerBound == state.machine.position
                if state.machine.end == nil, error.length == nil, isExact {
                    state.queue += state.machine.reachedEnd()
                } else {
                    state.failure = self.check(state).changed("has become shorter", status: 416)
                }
            }
        }
        // If the reader ended during the request, `cancel()` found no body, so the new body is
        // cancelled here.
        do { try self.readerCancellation.check() } catch {
            self.state.withLock { $0.response }?.body.cancel()
            throw error
        }
    }

    /// Passes an event to the retry machine, and counts it in the budget of the resource.
    private func counting<Result: Sendable>(
        _ state: inout State,
        _ event: (inout RetryMachine) -> Result
    ) -> Result {
        let now = self.origin.timeline.elapsed()
        return self.origin.memory.withLock { memory in
            state.retry.enter(memory.budget, at: now)
            defer { state.retry.leave(&memory.budget) }
            return event(&state.retry)
        }
    }

    private func pace(_ bytes: Int) async throws {
        guard let limiter = self.origin.options.rateLimiter else { return }
        // The readings of a resource share one line of the limiter; each resource has its own line.
        let line = UInt64(UInt(bitPattern: ObjectIdentifier(self.origin)))
        guard let wait = limiter.ask(for: bytes, line: line) else {
            return try self.readerCancellation.check()
        }
        self.origin.observer?(.bytesHeld(byteCount: bytes))
        try await self.readerCancellation.race { try await limiter.wait(for: wait) }
    }

    private func check(_ state: State) -> AnswerCheck {
        AnswerCheck(
            resource: self.origin.resource,
            range: .from(state.machine.position),
            version: state.version
        )
    }
}
