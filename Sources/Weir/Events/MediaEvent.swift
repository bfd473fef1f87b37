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
    /// Nobody wanted the rest.
    case transferLeft(MediaTransfer)
    /// The origin has another version now; what follows is of that one.
    case sourceChanged
    /// An account got a fresh credential; told by the library, whatever its media do.
    case credentialRefreshed(account: String)
}
