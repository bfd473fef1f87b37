// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A delegate's violation of the resource loader's contract; not Apple's.
public enum StubViolation: Sendable, Hashable {
    /// Information was set after the loader had read it.
    case informationAfterData
    /// Bytes were delivered after the request was finished or had failed.
    case dataAfterFinish(offset: Int64, count: Int)
    /// Bytes were delivered after the request was cancelled; harmless and dropped, but a sign of a leak if many.
    case dataAfterCancel(offset: Int64, count: Int)
    /// The request was finished a second time.
    case finishedTwice(offset: Int64)
    /// The request was finished, or bytes were delivered, though the delegate had declined it.
    case answeredAfterDecline(offset: Int64)
    /// More bytes were delivered than requested; `excess` is the surplus.
    case overDelivery(offset: Int64, excess: Int64)
    /// The request was finished without an error and with fewer bytes than requested.
    case finishedShort(offset: Int64, length: Int, delivered: Int64)
    /// A call for which the real loader throws an Objective-C exception.
    case exception(name: String, reason: String)
    /// Bytes differed at consumption from their delivery: the buffer was reused.
    case bufferChanged(offset: Int64, count: Int)
}
