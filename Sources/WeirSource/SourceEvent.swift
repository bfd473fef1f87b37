// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An event between Weir and an origin, for code that counts or shows it.
package enum SourceEvent: Sendable {
    /// A request was sent. `range` is `nil` for a request without one.
    case requested(host: String, range: RequestedRange?)
    /// The head of the response arrived, this long after the request; `nil` if the time is not
    /// measured.
    case answered(host: String, status: Int, after: Duration? = nil)
    /// Body bytes arrived.
    case received(byteCount: Int)
    /// The origin redirected the request.
    case redirected(from: String, to: String)
    /// A request has waited a second for a connection, because the host has its maximum number in
    /// use.
    case waitingForConnection(host: String, limit: Int)
    /// A request waits, because of its host's limit of requests per second.
    case requestHeld(host: String)
    /// Received bytes wait, because of the speed limit for origins.
    case bytesHeld(byteCount: Int)
    /// A request for a resource failed and is repeated after a delay, at this byte.
    case retrying(
        resource: String,
        offset: Int64,
        after: Duration,
        attempt: RequestAttempt,
        reason: String
    )
    /// A host has been silent for this long: it has sent no response, or no further byte of the
    /// response.
    ///
    /// The request is given up at the limit. Reported at the times of ``WaitNotices``.
    case silent(host: String, hasAnswered: Bool, for: Duration, limit: Duration)
    /// The origin asked for a pause; reported at its start, and every ten seconds while it lasts.
    case waiting(resource: String, remaining: Duration, reason: String)
    /// A link that was about to expire, or had expired, was replaced by a new one.
    case linkRenewed(host: String)
    /// The credential of an account was replaced by a new one.
    case credentialRefreshed(account: String)
    /// The resource has changed; a new generation begins.
    case changed(host: String?)
    /// The origin forbids storing the resource, which plays without being stored; reported once for
    /// each resource.
    case storingForbidden(resource: String, id: String)
    /// The origin refuses a resource of which bytes are held (401, 403, 404, 410).
    ///
    /// Reported once for each resource, with the origin's own sentence, and whether the cached
    /// bytes are served.
    case refusedThoughHeld(resource: String, id: String, reason: String, isServed: Bool)
    /// The cache cannot store bytes; playing goes on without the cache.
    case cacheDegraded(reason: String)
    /// The download queue of the cache directory could not be read, or was written by a newer Weir.
    case downloadsUnreadable(reason: String)
    /// The cache stores bytes again.
    case cacheRecovered
    /// Bytes in the cache differed from the written ones, or could not be read.
    ///
    /// They are fetched again when a reader needs them.
    case cacheDamaged(byteCount: Int64)
    /// Resources were removed, because the cache held more than its limits allow.
    case cacheEvicted(resourceCount: Int, byteCount: Int64)
    /// An event between the cache and the store that a fleet shares.
    case tier(TierEvent)
    /// The decrypted bytes are not media of a known format: the key or the initialization vector
    /// may be wrong.
    case keySuspected(resource: String, id: String)
    /// The bytes belong to an encrypted file, and are passed on unchanged.
    case encrypted(resource: String, form: EncryptedForm)
}

/// The number of a request's attempt, and the most attempts while no byte arrives.
package struct RequestAttempt: Hashable, Sendable {
    /// 1 for the first request.
    package var number: Int
    /// `nil` if a time limits the attempts, not a number.
    package var limit: Int?

    package init(number: Int, limit: Int?) {
        self.number = number
        self.limit = limit
    }
}

/// An event between a cache and the store that a fleet shares.
package enum TierEvent: Sendable, Hashable {
    /// This many bytes were read from an extent of the store.
    case read(byteCount: Int)
    /// The store did not have an extent, or did not deliver it in time; the origin is asked.
    case missed
    /// The store answered a request wrongly, too late or not at all. `reason` is a sentence.
    case failed(reason: String)
    /// The store has not answered, or answered after the origin.
    case late
    /// The origin was asked for this many bytes in parallel with the store, which was late.
    case hedged(byteCount: Int)
    /// The store is not used for a while, because it has failed several times in a row, or was late
    /// too often.
    case paused(for: Duration)
    /// An object's content is not from a machine of the fleet; the object is written again.
    case damaged(key: String)
    /// This many bytes were written.
    case stored(byteCount: Int)
    /// An extent was not written, because too many are waiting.
    case dropped
}

/// Receives events as they happen; must return at once and not throw.
///
/// Called from any thread.
package typealias SourceObserver = @Sendable (SourceEvent) -> Void
