// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Something that happened to a medium, for a host application to show.
public enum MediaEvent: Sendable {
    /// Bytes are asked of the origin, and it has begun to answer.
    case transferStarted(MediaTransfer)
    /// Bytes came; told ten times a second at most.
    case transferProgressed(MediaTransfer)
    /// Everything that was asked for came.
    case transferFinished(MediaTransfer)
    /// It broke off, and could not be resumed.
    case transferFailed(MediaTransfer?, SourceError)
    /// No reader wanted the rest.
    case transferLeft(MediaTransfer)
    /// The origin has another version now; what follows is of that one.
    case sourceChanged
    /// This number of events were dropped, because the listener was slow. ``Media/availability`` says what is held now.
    /// A transfer that still runs is reported again with its next bytes.
    case missed(Int)

    // Told by the library only.

    /// The origin forbids that the medium is stored: it is played, and nothing of it is kept.
    case storingForbidden
    /// The origin no longer gives the medium, for this reason, a sentence, though bytes of it are held; `isServed`: they
    /// play all the same.
    case refusedThoughHeld(reason: String, isServed: Bool)
    /// What was decrypted is no media that is known: the key, or the initialization vector, may be wrong.
    case keySuspected
    /// An account got a fresh credential, whatever the media do.
    case credentialRefreshed(account: String)
    /// The cache can keep no more, for this reason, a sentence; media play on without it.
    case cacheDegraded(reason: String)
    /// The cache keeps bytes again.
    case cacheRecovered
    /// The download queue of the directory could not be read, for this reason, a sentence; what was in it is put aside.
    case downloadsUnreadable(reason: String)
}

/// One reading of an origin: a request, and what was needed to bring its bytes to their end.
public struct MediaTransfer: Hashable, Sendable {
    /// Tells one transfer of a medium from the next.
    public var number: Int
    /// Where it starts, in bytes.
    public var lowerBound: Int64
    /// Where it ends; `nil` while the length is unknown.
    public var upperBound: Int64?
    /// Bytes that have come so far.
    public var receivedByteCount: Int64 = 0

    /// Bytes that are to come in all, if that is known.
    public var totalByteCount: Int64? { self.upperBound.map { $0 - self.lowerBound } }
}

extension MediaEvent: LossyEvent {}

/// An event, and the medium that it happened to.
public struct LibraryEvent: Sendable {
    /// The medium's ``Media/id``; `nil` for what concerns all of them.
    public var media: Media.ID?
    /// The medium for people, as ``Media/display`` has it.
    public var display: String?
    /// What happened.
    public var event: MediaEvent
}

extension LibraryEvent: LossyEvent {
    /// ``MediaEvent/missed(_:)``.
    package static func missed(_ count: Int) -> LibraryEvent { LibraryEvent(event: .missed(count)) }
}

extension LibraryEvent {
    /// What the parts of a library tell beside the transfers, as applications see it; `nil` for what they do not.
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
