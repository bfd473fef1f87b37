// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Something that happened to a proxy, for code that shows or counts it.
public enum ProxyEvent: Sendable, Hashable {
    /// A request was dealt with: answered, refused, or left by its client.
    case requestFinished(ProxyRequestRecord)
    /// Connections are not accepted for a moment, since the process has no descriptor left for them.
    ///
    /// Told once in the life of a proxy. `reason` is a sentence for a person.
    case acceptingPaused(reason: String)
    /// A client was kept out by ``ProxyConfiguration/admitsOnlySameUser``.
    case clientRefused(RefusedClient)
}

/// One request that the proxy has dealt with, for logs and counts.
///
/// Neither the secret nor a query is in it.
public struct ProxyRequestRecord: Sendable, Hashable {
    /// The method; `nil` if what came could not be read as a request.
    public var method: String?
    /// The path after the secret, without its query; `nil` if the request was refused before
    /// its path was looked at, or if the secret was wrong.
    public var target: String?
    /// The one range that was asked for; `nil` if none was, or none that counts.
    public var range: RequestedRange?
    /// The status of the response; `nil` if the client left before there was one.
    public var status: Int?
    /// How many bytes of the body went to the operating system; of a file that was being sent when
    /// the client left, whole pieces only, of 1 MiB at most.
    public var bytesSent: Int64
    /// The time from the request's head to the last byte.
    public var duration: Duration
    /// Whether the response ended early: the client left, or the source failed in mid-body.
    public var isAborted: Bool
    /// Why the source gave no bytes, or no more: one sentence for a person; `nil` where it did not fail.
    public var failure: String?

    /// Describes a request.
    public init(
        method: String?,
        target: String?,
        range: RequestedRange?,
        status: Int?,
        bytesSent: Int64,
        duration: Duration,
        isAborted: Bool,
        failure: String? = nil
    ) {
        self.method = method
        self.target = target
        self.range = range
        self.status = status
        self.bytesSent = bytesSent
        self.duration = duration
        self.isAborted = isAborted
        self.failure = failure
    }
}
