// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// One request and its response, until the response has been sent.
///
/// Belongs to its connection's event loop.
final class Exchange {
    /// A received request.
    enum Request {
        /// A request with a readable head.
        case head(RequestHead)
        /// The answer to a request that could not be read.
        case refused(PlainAnswer)
    }

    /// The bytes of a resident run that are still to be sent, and where the whole body ends.
    struct Run {
        var slice: ResidentSlice
        let end: Int64
    }

    private(set) var request: Request
    let began: NIODeadline
    /// The request's number, for logs.
    let id: ConnectionRequestID
    /// The path after the secret, and the query.
    var target: String?
    /// Whether the page service answers it; such requests are not reported.
    var isForPage = false
    var source: (any ByteSource)?
    /// The resource that the body belongs to, known when its head is written.
    var description: ResourceDescription?
    /// The bytes of the resource that the body has; for a stream, an empty range at its start.
    var body: Range<Int64> = 0..<0
    /// The kind of the body's bytes.
    var content = ProxyRequestRecord.Content.none
    /// The bytes of a ``ProxyRequestRecord/Content/fetched`` body that were held before the request
    /// came.
    private var heldBefore = RangeSet<Int64>()
    /// When the first byte of the body was written to the channel; `nil` if the system took it
    /// directly.
    var firstByte: NIODeadline?
    /// Since when the response has waited for its source; `nil` while it does not wait.
    private var wantedSince: NIODeadline?
    /// `nil` until the head has been written.
    var status: Int?
    var framing = ResponseHead.Framing.counted
    /// Whether the connection ends with the response.
    var closes = false
    var sentByteCount: Int64 = 0
    /// How many bytes of the body may be sent before the client's next turn; without a rate any
    /// number.
    var allowance: Int64
    /// The client's turn that the allowance belongs to, or that the response waits for.
    var turn: TurnQueue.Turn?
    /// Whether the response waits for its turn.
    var awaitsTurn = false
    /// How many pieces the system has not taken yet.
    var outstandingWrites = 0
    /// Whether the last piece has been written.
    var isWritten = false
    /// The part of the body that is being sent from a file.
    var run: Run?
    /// Whether a caller further up the stack is sending the run.
    var isPumping = false
    /// How many bytes have been sent since other connections last had their turn.
    var bytesInTurn: Int64 = 0
    /// Pulls bytes that are not resident, or opens the cached ones.
    var task: Task<Void, Never>?
    /// The error of the source.
    var failure: (any Error)?
    /// Why the request was refused, for the log alone.
    var refusal: String?
    /// The continuation of the task, while it waits for room or for its turn.
    var waiter: CheckedContinuation<Void, any Error>?

    init(_ request: Request, id: ConnectionRequestID, isPaced: Bool = false, at time: NIODeadline) {
        self.request = request
        self.allowance = isPaced ? 0 : .max
        self.id = id
        self.began = time
    }

    /// The head of a body of known length is about to be written.
    func note(_ plan: ResponsePlan, closing: Bool) {
        self.status = plan.status
        self.framing = .counted
        self.closes = closing
    }

    /// A head is about to be written.
    func note(_ head: ResponseHead) {
        self.status = head.status
        self.framing = head.framing
        self.closes = head.closes
    }

    /// The body is sent from a slice on; its bytes before `start` have been sent.
    func begin(_ slice: ResidentSlice, from start: Int64, to end: Int64) {
        if start == end {
            self.isWritten = true
        } else {
            self.description = slice.resource
            self.run = Run(slice: slice.clamped(to: start..<slice.range.upperBound), end: end)
        }
    }

    /// The run has been written up to a position.
    func runWritten(upTo position: Int64) {
        guard let run else { return }
        self.bytesInTurn += position - run.slice.range.lowerBound
        if position == run.end {
            self.run = nil
            self.isWritten = true
        } else {
            self.run?.slice = run.slice.clamped(to: position..<run.slice.range.upperBound)
        }
    }

    /// How long a response waits for its source before the wait is reported.
    private static let underrunTime = TimeAmount.seconds(2)

    /// The response begins to wait for its source.
    func wait(from time: NIODeadline) { self.wantedSince = time }

    /// The source has yielded a chunk or failed.
    ///
    /// - Returns: whether the response has waited too long.
    func endWait(at time: NIODeadline) -> Bool {
        guard let since = self.wantedSince else { return false }
        self.wantedSince = nil
        return time - since >= Self.underrunTime
    }

    /// Replaces the head of the request by one with a smaller range.
    func narrow(to head: RequestHead) { self.request = .head(head) }

    /// Notes how many of the requested bytes are held, before anything is fetched for them.
    ///
    /// - Parameters:
    ///   - part: the requested bytes; `nil` if the length of the resource is not known.
    ///   - held: the held bytes of the resource.
    func noteHeld(_ part: Range<Int64>?, _ held: RangeSet<Int64>) {
        let isHeld = part.map { held.firstMissing(in: $0) == nil } ?? false
        self.content = isHeld ? .held : .fetched
        self.heldBefore = isHeld ? RangeSet() : held
    }

    /// How many of the sent bytes were held before the request came.
    private var sentHeldByteCount: Int64 {
        switch self.content {
        case .held: self.sentByteCount
        case .fetched:
            self.heldBefore.intersection(
                RangeSet(self.body.lowerBound..<self.body.lowerBound + self.sentByteCount)
            ).byteCount
        case .none, .stream: 0
        }
    }

    /// The record of the exchange, for reports.
    func record(
        of client: ClientAddress,
        at time: NIODeadline,
        isAborted: Bool
    ) -> ProxyRequestRecord {
        // The record is made once: a change to it afterwards costs a copy for each request.
        var method: String?
        var range: RequestedRange?
        if case .head(let head) = self.request {
            method = head.method.name
            if case .one(let asked) = head.range { range = asked }
        }
        return ProxyRequestRecord(
            method: method,
            target: self.target.map(Self.path(of:)),
            range: range,
            status: self.status,
            sentByteCount: self.sentByteCount,
            nanoseconds: (time - self.began).nanoseconds,
            isAborted: isAborted,
            failure: self.refusal ?? self.failure.flatMap(PlainAnswer.sentence(of:)),
            id: self.id,
            content: self.content,
            firstByteNanoseconds: self.sentByteCount > 0
                ? ((self.firstByte ?? time) - self.began).nanoseconds : nil,
            clientAddress: client,
            sentHeldByteCount: self.sentHeldByteCount,
            ownerFailure: self.refusal ?? self.failure.flatMap(PlainAnswer.ownerSentence(of:))
        )
    }

    /// A target without its query.
    private static func path(of target: String) -> String {
        target.hasByte(UInt8(ascii: "?")) ? String(target.prefix { $0 != "?" }) : target
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}
