// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Sendable by inheritance: the class has no state of its own.

/// A request to renew the content information of a resource, at its renewal date.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourcerenewalrequest>
open class AVAssetResourceRenewalRequest: AVAssetResourceLoadingRequest, @unchecked Sendable {}
