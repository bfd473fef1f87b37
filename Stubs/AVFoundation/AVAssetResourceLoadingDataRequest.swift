// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable as in the SDK: its state is that of the exchange, behind a lock.

/// The requested bytes, and the function to deliver them.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest>
open class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
    private let exchange: StubExchange

    init(exchange: StubExchange) {
        self.exchange = exchange
        super.init()
    }

    /// The first requested byte.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/requestedoffset>
    public var requestedOffset: Int64 { exchange.wish.offset }

    /// How many bytes are requested; to be ignored if all bytes to the end are.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/requestedlength>
    public var requestedLength: Int { exchange.wish.length }

    /// Whether all bytes to the end of the resource are requested: true for any range that reaches the end.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/requestsalldatatoendofresource>
    public var requestsAllDataToEndOfResource: Bool { exchange.wish.toEnd }

    /// The offset of the next delivered byte; at first the first requested byte [dis].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/currentoffset>
    public var currentOffset: Int64 { exchange.currentOffset }

    /// Delivers the next bytes: any number of times, in any portions, without gaps.
    ///
    /// Nothing is copied [dis]: the data must not change until it was consumed. Empty data is ignored, and so is
    /// data after the end of the request. Bytes beyond the range are not cut off [dis].
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingdatarequest/respond(with:)>
    ///
    /// - Parameter data: The bytes at `currentOffset`.
    open func respond(with data: Data) {
        exchange.respond(data)
    }
}
