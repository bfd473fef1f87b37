// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// An event of a medium, which a host application can show.
public enum MediaEvent: Sendable {
    /// A request was sent to the origin, and the response has begun.
    case transferStarted(MediaTransfer)
    /// Bytes arrived; reported ten times a second at most.
    case transferProgressed(MediaTransfer)
    /// All requested bytes arrived.
    case transferFinished(MediaTransfer)
    /// The transfer failed, and could not be resumed.
    case transferFailed(MediaTransfer?, SourceError)
    /// The transfer was stopped, because no reader wanted the rest.
    case transferLeft(MediaTransfer)
    /// The origin has another version now; later events are about that version.
    case sourceChanged
    /// This number of events was dropped because the listener was slow.
    ///
    /// ``Media/availability`` has the ranges held now. A transfer that still runs is reported again
    /// with its next bytes.
    case missed(Int)

    // Only the events of the library include the following ones; the events of a medium do not.

    /// The origin forbids storing the medium: it plays, and the cache does not store it.
    case storingForbidden
    /// The origin no longer serves the medium, though the cache holds bytes of it.
    ///
    /// `reason` is a sentence; `isServed`: the held bytes still play.
    case refusedThoughHeld(reason: String, isServed: Bool)
    /// The decrypted bytes are not media of a known format: the key or the initialization vector
    /// may be wrong.
    case keySuspected
    /// An account got a new credential; the event does not depend on a medium.
    case credentialRefreshed(account: String)
    /// The cache cannot store more bytes, and media play on without it; `reason` is a sentence.
    case cacheDegraded(reason: String)
    /// The cache stores bytes again.
    case cacheRecovered
    /// The directory's download queue could not be read, and its file was renamed; `reason` is a
    /// sentence.
    case downloadsUnreadable(reason: String)
}

/// One reading of an origin: a request, and the retries until its bytes are complete.
public struct MediaTransfer: Hashable, Sendable {
    /// Distinguishes the transfers of a medium.
    public var number: Int
    /// The offset where it starts, in bytes.
    public var lowerBound: Int64
    /// The offset where it ends; `nil` while the length is unknown.
    public var upperBound: Int64?
    /// Bytes received so far.
    public var receivedByteCount: Int64 = 0

    /// The number of bytes to receive in all, if it is known.
    public var totalByteCount: Int64? { self.upperBound.map { $0 - self.lowerBound } }
}

extension MediaEvent: LossyEvent {}

/// An event, and the medium that it is about.
public struct LibraryEvent: Sendable {
    /// The medium's ``Media/id``; `nil` for an event about all media.
    public var media: Media.ID?
    /// The medium's name in messages, as in ``Media/display``.
    public var display: String?
    /// The event.
    public var event: MediaEvent
}

extension LibraryEvent: LossyEvent {
    /// Makes ``MediaEvent/missed(_:)``.
    package static func missed(_ count: Int) -> LibraryEvent { LibraryEvent(event: .missed(count)) }
}

extension LibraryEvent {
    /// An event of the library's parts, as applications see it; `nil` for an event that they do not
    /// see.
    init?(_ event: SourceEvent) {
        switch event {
        case .storingForbidden(let resource, let id):
            self.init(media: id, display: resource, event: .storingForbidden)
        case .refusedThoughHeld(let resource, let id, let reason, let isServed):
            self.init(
                media: id,
                display: resource,
                event: .refusedThoughHeld(reason: reason, isServed: isServed)
            )
        case .keySuspected(let resource, let id):
            self.init(media: id, display: resource, event: .keySuspected)
        case .credentialRefreshed(let account):
            self.init(event: .credentialRefreshed(account: account))
        case .cacheDegraded(let reason):
            self.init(event: .cacheDegraded(reason: reason))
        case .cacheRecovered: self.init(event: .cacheRecovered)
        case .downloadsUnreadable(let reason):
            self.init(event: .downloadsUnreadable(reason: reason))
        case .requested, .answered, .received, .redirected, .waitingForConnection, .retrying,
            .requestHeld, .bytesHeld, .waiting, .linkRenewed, .changed, .cacheDamaged,
            .cacheEvicted,
            .encrypted, .silent, .tier:
            return nil
        }
    }
}
