// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// A piece of the data that two processes exchange.
///
///     byte 0      1 a message, 2 bytes of a resource
///     bytes 1-4   the length of the content, 32 bits, most significant byte first
///     then        the content
///
/// The format is the same in every version of Weir, so that each version can read and refuse
/// another version's first message.
package enum Frame: Sendable {
    /// A ``Message``, encoded.
    case message([UInt8])
    /// Bytes of a resource; a long piece may arrive as several.
    case bytes(ByteMemory)

    /// The first byte of a message.
    package static let messageKind: UInt8 = 1
    /// The first byte of a piece of a resource.
    package static let bytesKind: UInt8 = 2
    /// Bytes before the content of a frame.
    package static let headLength = 5
    /// The longest message that a user reads, in bytes.
    ///
    /// A list of 100,000 resources fits, and so does a list of 10,000 downloads with the longest
    /// texts and contexts.
    package static let longestAnswer = 128 << 20
    /// The longest message that an owner reads, in bytes.
    package static let longestRequest = 1 << 20
    /// The longest piece of bytes that is sent at once.
    static let longestPiece = 256 << 10
}
