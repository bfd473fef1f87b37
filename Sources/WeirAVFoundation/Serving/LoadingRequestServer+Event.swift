// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

extension LoadingRequestServer {
    /// What happened.
    public enum Event: Sendable {
        /// The first bytes will be wanted: read them, so that length and type are known.
        case prepared
        /// The player made a request.
        case requested(Request)
        /// The player cancelled one.
        case cancelled(RequestID)
        /// The player let go of bytes that it had been given, this many.
        case released(RequestID, Int)
        /// A reading was opened.
        case opened(ReadID, Opening)
        /// Bytes came, as many as were pulled or fewer, never none.
        case arrived(ReadID, ByteMemory)
        /// A reading came to its end.
        case ended(ReadID)
        /// A reading failed.
        case failed(ReadID, SourceError)
        /// A wait is over.
        case waited(WaitID)
        /// The source holds these bytes close by.
        case held(Availability)
        /// The asset has gone; nobody will ask again.
        case abandoned
    }

    /// What a reading turned out to be when it was opened.
    public struct Opening: Sendable {
        /// The resource.
        public var description: ResourceDescription
        /// The first byte that will come.
        public var lowerBound: Int64

        /// Describes a reading.
        public init(description: ResourceDescription, lowerBound: Int64) {
            self.description = description
            self.lowerBound = lowerBound
        }
    }
}
