// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a delegate broke the contract of the resource loader; not Apple's.
public enum StubViolation: Sendable, Hashable {
    /// Information was set after it was taken, where nobody sees it.
    case informationAfterData
    /// Bytes were delivered after the request was finished or had failed.
    case dataAfterFinish(offset: Int64, count: Int)
    /// Bytes were delivered after the request was cancelled; harmless and dropped, but a sign of a leak if many.
    case dataAfterCancel(offset: Int64, count: Int)
    /// The request was finished a second time.
    case finishedTwice(offset: Int64)
    /// The request was finished, or bytes came, though the delegate had not taken it.
    case answeredAfterDecline(offset: Int64)
    /// More bytes were delivered than asked for: how many more.
    case overDelivery(offset: Int64, excess: Int64)
    /// The request was finished without an error and with fewer bytes than asked for.
    case finishedShort(offset: Int64, length: Int, delivered: Int64)
    /// What the real one throws an Objective-C exception for.
    case exception(name: String, reason: String)
    /// Bytes were not the same at consumption as when they were delivered: the buffer was used again.
    case bufferChanged(offset: Int64, count: Int)
}
