// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Decrypts whole units of one resource: the part that differs between formats.
protocol UnitCipher: Sendable {
    /// How many stored bytes are best decrypted at a time: a multiple of a unit, and bounded.
    var largestRun: Int { get }

    /// Decrypts units that follow each other.
    ///
    /// - Parameters:
    ///   - stored: the units, not empty; the last one of the file may be a shorter one.
    ///   - first: the number of the first.
    ///   - before: the stored bytes before it, as many as the layout's `lookBehind`; none for the first of the file.
    ///   - isLast: whether the file ends with these units.
    /// - Returns: the plain bytes, the padding of the last unit included.
    /// - Throws: ``CipherError`` with `damaged` where the format can tell.
    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data

    /// How many plain bytes the last unit holds, once it has been decrypted: all but the padding.
    ///
    /// - Throws: ``CipherError`` where what has been decrypted cannot be an end.
    func plainCount(ofLast plain: Data) throws(CipherError) -> Int

    /// Whether a file may end without any unit.
    var allowsNoUnit: Bool { get }
}

extension UnitCipher {
    func plainCount(ofLast plain: Data) throws(CipherError) -> Int { plain.count }
    var allowsNoUnit: Bool { true }
}
