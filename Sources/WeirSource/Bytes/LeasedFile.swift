// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An open file that stays open for as long as somebody holds it.
public protocol LeasedFile: AnyObject, Sendable {
    /// The descriptor, valid while this object lives. Read it by position only; never close it.
    ///
    /// `nil` where the bytes do not lie in the file as they are read, and ``read(into:at:)`` is the only way to them.
    var descriptor: CInt? { get }

    /// Reads at a position.
    ///
    /// - Returns: how many bytes were read; 0 at the end of the file.
    /// - Throws: ``SourceError`` with `cacheFailed`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int

    /// Bytes of the file could not be read by its descriptor: whoever lends them looks at them again before it
    /// lends them anew.
    ///
    /// A failed ``read(into:at:)`` needs no such call. Returns at once.
    func doubt()
}

extension LeasedFile {
    /// Nothing is looked at again.
    public func doubt() {}
}
