// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A piece of what two processes say to each other over the socket in the cache directory.
///
/// On the wire: a byte that tells the kind, the length as a 32-bit number in network order, and so many bytes.
enum Frame: Sendable {
    /// A sentence as JSON.
    case message(ByteBuffer)
    /// Bytes of a resource; a long piece may arrive as several.
    case bytes(ByteBuffer)

    /// What the first byte of a frame may be.
    enum Kind: UInt8 {
        case message = 1
        case bytes = 2
    }

    /// Bytes before the content of a frame.
    static let headLength = 5
    /// The longest message that a user listens to, in bytes: a list of 100,000 resources fits.
    static let longestAnswer = 64 << 20
    /// The longest message that an owner listens to, in bytes.
    static let longestRequest = 1 << 20
    /// The longest piece of bytes that is sent at once.
    static let longestPiece = 256 << 10
}
