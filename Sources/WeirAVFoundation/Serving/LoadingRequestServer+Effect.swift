// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

extension LoadingRequestServer {
    /// What is to be done, in this order.
    public enum Effect: Sendable {
        /// Opens a reading of the source.
        case read(ReadID, ReadDemand)
        /// Asks a reading, once it is open, for its next bytes, this many or fewer.
        case pull(ReadID, atMost: Int)
        /// Ends a reading; nothing that it brings is wanted.
        case drop(ReadID)
        /// Tells the player what the resource is.
        case fill(RequestID, ContentInformation)
        /// Hands the player the next bytes of a request.
        case respond(RequestID, ByteMemory)
        /// Ends a request that has got everything.
        case finish(RequestID)
        /// Ends a request that cannot get everything.
        case fail(RequestID, LoadingFailure)
        /// Waits.
        case wait(WaitID, Duration)
        /// Tells the application.
        case tell(MediaAssetEvent)
    }
}
