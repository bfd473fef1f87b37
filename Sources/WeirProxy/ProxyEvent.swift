// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Something that happened to a proxy, for code that shows or counts it.
public enum ProxyEvent: Sendable, Hashable {
    /// A request has ended: it was answered, refused, or left by its client.
    case requestFinished(ProxyRequestRecord)
    /// Accepting connections pauses for a moment, because the process has no descriptor left for
    /// one.
    ///
    /// Reported once in the life of a proxy. `reason` is a sentence for a person.
    case acceptingPaused(reason: String)
    /// A player that could take more got no bytes for two seconds in the middle of its answer.
    ///
    /// The player's buffer may have run out. Reported when bytes come again, or when the answer
    /// ends without them.
    case underrun
    /// A limit has made a client wait, or kept it out.
    case limited(ProxyLimit)
    /// A client was kept out by ``ProxyConfiguration/admitsOnlySameUser``.
    case clientRefused(RefusedClient)
    /// The listener was slow and lost this many events; counts of events are too small by this
    /// number.
    case missed(Int)
}

extension ProxyEvent: LossyEvent {}

/// A limit that holds clients of a proxy back.
public enum ProxyLimit: String, Sendable, Hashable, CaseIterable {
    /// The rate of sending to one client.
    case clientRate = "client-rate"
    /// The rate of sending to all clients together.
    case rate
    /// The number of slots for the connections of one client.
    case clientConnections = "client-connections"
    /// The number of slots for the connections of all clients.
    case connections
}

/// One request that has ended, for logs and counts.
///
/// It contains neither the secret nor a query.
public struct ProxyRequestRecord: Sendable, Hashable {
    /// Why a request failed, for everybody and for the source's owner.
    private final class Sentences: Hashable, Sendable {
        let failure: String
        let owner: String

        init(_ failure: String, owner: String) { (self.failure, self.owner) = (failure, owner) }

        static func == (left: Sentences, right: Sentences) -> Bool {
            left.failure == right.failure && left.owner == right.owner
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.failure)
            hasher.combine(self.owner)
        }
    }

    /// The method; `nil` if the input could not be read as a request.
    public var method: String?
    /// The path after the secret, without its query.
    ///
    /// `nil` if the request was refused before its path was checked, or if the secret was wrong.
    public var target: String?
    /// The one range of the request; `nil` if it has no range, or no range that counts.
    public var range: RequestedRange?
    /// The status of the response; `nil` if the client left before there was one.
    public var status: Int?
    /// How many bytes of the body went to the operating system.
    ///
    /// If the client left while a file was being sent, only whole pieces of the file count, of 1
    /// MiB at most.
    public var sentByteCount: Int64
    /// How many of these bytes were held before the request came.
    ///
    /// They were held by this process, or by another one that owns the cache.
    public var sentHeldByteCount: Int64
    /// The time from the request's head to the last byte.
    public var duration: Duration { .nanoseconds(self.nanoseconds) }
    /// ``duration`` in nanoseconds: making a `Duration` takes as long as finding the bytes.
    package let nanoseconds: Int64
    /// Whether the response ended early: the client left, or the source failed in mid-body.
    public var isAborted: Bool
    /// Why the source gave no bytes, or no more: one sentence for a person; `nil` where it did not
    /// fail.
    public var failure: String? {
        get { self.sentences?.failure }
        set { self.sentences = newValue.map { Sentences($0, owner: $0) } }
    }
    /// The failure for the log of the source's owner: this text may say where a credential was
    /// read.
    package var ownerFailure: String? { self.sentences?.owner }
    /// Both sentences in one object, because each request copies a record, and few requests fail.
    private var sentences: Sentences?
    /// The request's number; logs of the library's requests to an origin have it, too.
    public var id: ConnectionRequestID
    /// The kind of the response's body.
    public var content: Content
    /// The time from the request's head to the first byte of the body; `nil` without one.
    public var firstByteTime: Duration? {
        self.firstByteNanoseconds.map { Duration.nanoseconds($0) }
    }
    package let firstByteNanoseconds: Int64?
    /// The address that the request came from, or that a load balancer named for it; `nil` if it is
    /// not known.
    public var client: String? {
        self.clientAddress == .unknown ? nil : self.clientAddress.description
    }
    /// The address of ``client`` before it is text; a request that is not logged needs no text.
    package let clientAddress: ClientAddress

    /// The kind of a response's body.
    public enum Content: Hashable, Sendable {
        /// No body, or a sentence.
        case none
        /// Bytes of a resource, all of which were held before the request came.
        case held
        /// Bytes of a resource, some of which had to be fetched or made.
        case fetched
        /// A stream whose end is not known, such as a radio station's.
        case stream
    }

    /// Describes a request.
    public init(
        method: String?,
        target: String?,
        range: RequestedRange?,
        status: Int?,
        sentByteCount: Int64,
        duration: Duration,
        isAborted: Bool,
        failure: String? = nil
    ) {
        let (seconds, attoseconds) = duration.components
        self.init(
            method: method,
            target: target,
            range: range,
            status: status,
            sentByteCount: sentByteCount,
            nanoseconds: seconds.multipliedClamped(by: 1_000_000_000)
                .addingClamped(attoseconds / 1_000_000_000),
            isAborted: isAborted,
            failure: failure,
            id: ConnectionRequestID(connection: 0, request: 0),
            content: .none,
            firstByteNanoseconds: nil
        )
    }

    /// Describes a request; without `sentHeldByteCount`, the content says whether all bytes or none
    /// were held.
    package init(
        method: String?,
        target: String?,
        range: RequestedRange?,
        status: Int?,
        sentByteCount: Int64,
        nanoseconds: Int64,
        isAborted: Bool,
        failure: String?,
        id: ConnectionRequestID,
        content: Content,
        firstByteNanoseconds: Int64?,
        clientAddress: ClientAddress = .unknown,
        sentHeldByteCount: Int64? = nil,
        ownerFailure: String? = nil
    ) {
        self.method = method
        self.target = target
        self.range = range
        self.status = status
        self.sentByteCount = sentByteCount
        self.sentHeldByteCount = sentHeldByteCount ?? (content == .held ? sentByteCount : 0)
        self.nanoseconds = nanoseconds
        self.isAborted = isAborted
        self.sentences = failure.map { Sentences($0, owner: ownerFailure ?? $0) }
        self.id = id
        self.content = content
        self.firstByteNanoseconds = firstByteNanoseconds
        self.clientAddress = clientAddress
    }
}
