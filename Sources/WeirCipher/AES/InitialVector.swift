// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where the 16 bytes come from that CTR counts from, or that CBC joins to its first block.
public enum InitialVector: Hashable, Sendable {
    /// These bytes; fewer than 16 (the nonce of a counter) are filled up with zeros behind them.
    case bytes([UInt8])
    /// The first 16 bytes of the stored file, which are no part of the plain one.
    case prefix
    /// It comes with the key: derived from a passphrase, or told by a key provider.
    case fromKey
}
