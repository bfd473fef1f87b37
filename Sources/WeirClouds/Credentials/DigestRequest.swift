// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a digest is computed over, beside the challenge.
struct DigestRequest {
    var user: String
    var password: String
    var method: String
    /// Path and query, as the request line has them.
    var target: String
    /// How often the nonce has been used, this time included.
    var count: UInt32
    var clientNonce: String
}
