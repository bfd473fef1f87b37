// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Sendable by inheritance, and without state of its own.

/// A request to renew what an earlier one said of the resource, at its renewal date.
///
/// <https://developer.apple.com/documentation/avfoundation/avassetresourcerenewalrequest>
open class AVAssetResourceRenewalRequest: AVAssetResourceLoadingRequest, @unchecked Sendable {}
