// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a token endpoint said instead of tokens (RFC 6749 §5.2).
public struct OAuthRefusal: Error, Hashable, Sendable {
    /// The error's name: `invalid_grant` where the refresh token or the code is no longer good.
    public let error: String
}
