// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One request and its response, for as long as the response is on its way.
///
/// Belongs to its connection's event loop.
final class Exchange {
    /// What came.
    enum Request {
        /// A request.
        case head(RequestHead)
        /// What is answered without looking: it could not be read, or too many ask.
        case refused(PlainAnswer)
    }

    /// The bytes of a resident run that are still to be sent, and where the whole body ends.
    struct Run {
        var slice: ResidentSlice
        let end: Int64
    }

    let request: Request
    let began: NIODeadline
    /// The request's number, for logs.
    let id: RequestID
    /// The path after the secret, and the query.
    var target: String?
    /// Whether it is the page service's, which nobody counts as a player's.
    var isForPage = false
    var source: (any ByteSource)?
    /// The resource that the body belongs to, once a head says so.
    var description: ResourceDescription?
    /// The bytes of the resource that the body has; to the end of a stream, an empty range at its start.
    var body: Range<Int64> = 0..<0
    /// What the body is made of.
    var content = ProxyRequestRecord.Content.none
    /// Which bytes of a body that is ``ProxyRequestRecord/Content/fetched`` were held before the request came.
    private var heldBefore = RangeSet<Int64>()
    /// When the first byte of the body was handed over, if that was not at once.
    var firstByte: NIODeadline?
    /// Since when the client could take more than has come; `nil` while it has not taken what came.
    private var wantedSince: NIODeadline?
    /// `nil` until the head has been written.
    var status: Int?
    var framing = ResponseHead.Framing.counted
    /// Whether the connection ends with the response.
    var closes = false
    var sentByteCount: Int64 = 0
    /// How many bytes of the body may be handed over before the next turn of the client; without a rate any number.
    var allowance: Int64
    /// The turn of the client that the allowance is of, or that is waited for.
    var turn: TurnQueue.Turn?
    /// Whether the turn has not come.
    var awaitsTurn = false
    /// How many pieces the system has not taken yet.
    var outstandingWrites = 0
    /// Whether the last piece has been written.
    var isWritten = false
    /// What of the body is being sent from a file.
    var run: Run?
    /// How many bytes have been sent from files since the event loop last turned to others.
    var bytesInTurn: Int64 = 0
    /// Pulls what is not resident.
    var task: Task<Void, Never>?
    /// What the source has failed with.
    var failure: (any Error)?
    /// Why the request was refused, for the log alone.
    var refusal: String?
    /// The task, waiting for the client to read on.
    var waiter: CheckedContinuation<Void, any Error>?

    init(_ request: Request, id: RequestID, isPaced: Bool = false, at time: NIODeadline) {
        self.request = request
        self.allowance = isPaced ? 0 : .max
        self.id = id
        self.began = time
    }

    /// How long a client gets nothing, in the middle of its answer, before that is told.
    private static let underrunTime = TimeAmount.seconds(2)

    /// The client could take more than has come.
    func wait(from time: NIODeadline) { self.wantedSince = time }

    /// More has come, or nothing will.
    ///
    /// - Returns: whether the client has waited for it too long.
    func endWait(at time: NIODeadline) -> Bool {
        guard let since = self.wantedSince else { return false }
        self.wantedSince = nil
        return time - since >= Self.underrunTime
    }

    /// Notes what is held of the bytes that are asked for, before anything is fetched for them.
    ///
    /// - Parameters:
    ///   - part: these bytes; `nil` where the length of the resource is not known.
    ///   - held: what is held of the resource.
    func noteHeld(_ part: Range<Int64>?, _ held: RangeSet<Int64>) {
        let isHeld = part.map { held.firstMissing(in: $0) == nil } ?? false
        self.content = isHeld ? .held : .fetched
        self.heldBefore = isHeld ? RangeSet() : held
    }

    /// How many of the bytes that were sent had been held before the request came.
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

    /// What is to be told of the exchange.
    func record(
        of client: ClientAddress,
        at time: NIODeadline,
        isAborted: Bool
    ) -> ProxyRequestRecord {
        var record = ProxyRequestRecord(
            method: nil,
            target: self.target.map(Self.path(of:)),
            range: nil,
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
        if case .head(let head) = self.request {
            record.method = head.method.name
            if case .one(let range) = head.range { record.range = range }
        }
        return record
    }

    /// A target without its query.
    private static func path(of target: String) -> String {
        let hasQuery = target.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, CInt(UInt8(ascii: "?")), bytes.count) != nil }
                ?? false
        }
        return hasQuery == false ? target : String(target.prefix { $0 != "?" })
    }
}

@available(*, unavailable)
extension Exchange: Sendable {}
