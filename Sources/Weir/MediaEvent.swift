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
    /// An account got a fresh credential; told by the library, whatever its media do.
    case credentialRefreshed(account: String)
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
    public var receivedCount: Int64 = 0

    /// Bytes that are to come in all, if that is known.
    public var totalCount: Int64? { self.upperBound.map { $0 - self.lowerBound } }
}

/// An event, and the medium that it happened to.
public struct LibraryEvent: Sendable {
    /// The medium, as it is called in sentences; `nil` for what concerns all of them.
    public var media: String?
    /// What happened.
    public var event: MediaEvent
}
