// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Something that happened between Weir and an origin, for code that counts or shows it.
package enum SourceEvent: Sendable {
    /// A request was sent. `range` is `nil` for a request without one.
    case requested(host: String, range: RequestedRange?)
    /// The answer's head came, so long after the request; `nil` where that is not measured.
    case answered(host: String, status: Int, after: Duration? = nil)
    /// Body bytes came.
    case received(byteCount: Int)
    /// The origin sent us elsewhere.
    case redirected(from: String, to: String)
    /// A request has waited a second for one of the connections that one host is allowed, since all are in use.
    case waitingForConnection(host: String, limit: Int)
    /// A request waits, since its host may be sent only so many a second.
    case requestHeld(host: String)
    /// Bytes that have come wait, since origins may send only so fast.
    case bytesHeld(byteCount: Int)
    /// A request for a resource failed and is repeated after a delay, at this byte.
    case retrying(
        resource: String,
        offset: Int64,
        after: Duration,
        attempt: RequestAttempt,
        reason: String
    )
    /// A host has not answered a request, or has sent no further byte of its answer, for so long; the request is given up at
    /// the limit. Told as ``WaitNotices`` says.
    case silent(host: String, hasAnswered: Bool, for: Duration, limit: Duration)
    /// The origin asked for a pause before it is asked again; told at its start, and every ten seconds while it lasts.
    case waiting(resource: String, remaining: Duration, reason: String)
    /// A link that was about to end, or had ended, was replaced by a fresh one.
    case linkRenewed(host: String)
    /// The credential of an account was replaced by a fresh one.
    case credentialRefreshed(account: String)
    /// The resource is no longer what it was; a new generation begins.
    case changed(host: String?)
    /// The origin forbids to store the resource, which is played without being kept; told once for each resource.
    case storingForbidden(resource: String, id: String)
    /// The origin says that a resource of which bytes are held is not to be had (401, 403, 404, 410); told once for each
    /// resource, with the origin's own sentence, and whether the cached bytes are served.
    case refusedThoughHeld(resource: String, id: String, reason: String, isServed: Bool)
    /// The cache cannot keep bytes; playing goes on without it.
    case cacheDegraded(reason: String)
    /// The download queue of the cache directory could not be read, or was written by a newer Weir.
    case downloadsUnreadable(reason: String)
    /// The cache keeps bytes again.
    case cacheRecovered
    /// Bytes in the cache were no longer what had been written, or could not be read; they are fetched again
    /// when they are wanted.
    case cacheDamaged(byteCount: Int64)
    /// Resources went, since the cache held more than its limits let it.
    case cacheEvicted(resourceCount: Int, byteCount: Int64)
    /// Something happened between the cache and the store that a fleet shares.
    case tier(TierEvent)
    /// What was decrypted is no media that Weir knows: the key, or the initialization vector, may be wrong.
    case keySuspected(resource: String, id: String)
    /// The bytes are those of an encrypted file, and are passed on as they are.
    case encrypted(resource: String, form: EncryptedForm)
}

/// Which attempt a request is, and how many are made at most while nothing comes.
package struct RequestAttempt: Hashable, Sendable {
    /// 1 for the first request.
    package var number: Int
    /// `nil` where a time limits them, not a number.
    package var limit: Int?

    package init(number: Int, limit: Int?) {
        self.number = number
        self.limit = limit
    }
}

/// What happens between a cache and the store that a fleet shares.
package enum TierEvent: Sendable, Hashable {
    /// So many bytes were read from an extent that was there.
    case read(byteCount: Int)
    /// An extent was not there, or could not be had in time; the origin is asked.
    case missed
    /// A question was answered wrongly, too late or not at all. `reason` is a sentence.
    case failed(reason: String)
    /// The store has not answered, or not until the origin had.
    case late
    /// The origin was asked for so many bytes beside the store, which was late.
    case hedged(byteCount: Int)
    /// The store is left alone for a while, since it has failed several times in a row, or was late too often.
    case paused(for: Duration)
    /// An object was not what any machine of the fleet has written; it is written anew.
    case damaged(key: String)
    /// So many bytes were written.
    case stored(byteCount: Int)
    /// An extent was not written, since too many wait to be.
    case dropped
}

/// Is told of events as they happen; must return at once and not throw.
///
/// Called from any thread.
package typealias SourceObserver = @Sendable (SourceEvent) -> Void
