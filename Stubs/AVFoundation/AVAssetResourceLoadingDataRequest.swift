// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK: its state is the exchange's, behind a lock.

/// The bytes that are asked for, and the way to deliver them.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest>
open class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
    private let exchange: StubExchange

    init(exchange: StubExchange) {
        self.exchange = exchange
        super.init()
    }

    /// The first byte that is wanted.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/requestedoffset>
    public var requestedOffset: Int64 { exchange.wish.offset }

    /// How many are wanted; not to be looked at where all are.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/requestedlength>
    public var requestedLength: Int { exchange.wish.length }

    /// Whether everything from the first byte to the end of the resource is wanted: so of any range that touches it.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/requestsalldatatoendofresource>
    public var requestsAllDataToEndOfResource: Bool { exchange.wish.toEnd }

    /// The byte that the next delivery begins with; at first the first that is wanted [dis].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/currentoffset>
    public var currentOffset: Int64 { exchange.currentOffset }

    /// Delivers the next bytes: any number of times, in any portions, without gaps.
    ///
    /// Nothing is copied [dis]: the data must not change until it was consumed. Empty data is ignored, and so is what
    /// comes after the end of the request; what is beyond the range is not cut off [dis].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/respond(with:)>
    ///
    /// - Parameter data: The bytes at `currentOffset`.
    open func respond(with data: Data) {
        exchange.respond(data)
    }
}
