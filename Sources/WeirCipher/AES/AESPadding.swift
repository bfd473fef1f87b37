// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How the last block is filled up, and what cannot be an end.
enum AESPadding {
    /// How many bytes of the last units are the file's own.
    ///
    /// - Parameters:
    ///   - plain: the last units, decrypted, their padding included.
    ///   - padding: the kind.
    /// - Returns: all bytes but the padding.
    /// - Throws: ``CipherError`` with `wrongKey` where the last bytes are no padding: 255 of 256 wrong keys are found out by
    ///   that.
    static func plainCount(_ plain: Data, _ padding: AESFormat.Padding) throws(CipherError) -> Int {
        guard padding == .pkcs7 else { return plain.count }
        guard let last = plain.last, (1...16).contains(last), plain.count >= Int(last),
            plain.suffix(Int(last)).allSatisfy({ $0 == last })
        else {
            throw CipherError(
                .wrongKey,
                "The last block does not end as it must: the key or the initialization vector is another one, or the file"
                    + " is damaged, or has no padding; check the key first."
            )
        }
        return plain.count - Int(last)
    }

    /// What no file of whole blocks can have.
    static let partialBlock = CipherError(
        .damaged,
        "The encrypted part is no whole number of blocks of 16 bytes: the file is cut off, or was encrypted in another way."
    )
}
