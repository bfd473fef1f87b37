// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Sendable: constant. Whether the SDK says so of this class could not be confirmed.

/// Who asks for a resource.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequestor>
open class AVAssetResourceLoadingRequestor: NSObject, @unchecked Sendable {
    /// Whether it can report expired sessions: not here.
    ///
    /// <https://developer.apple.com/documentation/avfoundation/avassetresourceloadingrequestor/providesexpiredsessionreports>
    public var providesExpiredSessionReports: Bool { false }
}
