// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable: constant. It could not be confirmed that the SDK declares this class Sendable.

/// The requestor of a resource.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequestor>
open class AVAssetResourceLoadingRequestor: NSObject, @unchecked Sendable {
    /// Whether it can report expired sessions: not in the stub.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequestor/providesexpiredsessionreports>
    public var providesExpiredSessionReports: Bool { false }
}
