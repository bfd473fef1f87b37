// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// Finds the pages with which an Ogg stream begins (RFC 3533 §6).
///
///     offset 0   "OggS"
///            4   version, 0
///            5   flags               2: first of its stream
///           26   number of segments, n
///           27   sizes of the segments
///       27 + n   the segments
enum OggHead {
    private static let headerCount = 27

    /// The whole pages from the first on that begins a stream.
    ///
    /// - Parameter bytes: from anywhere before that page.
    /// - Returns: where they lie in the bytes; `nil` if no stream begins there.
    static func range(in bytes: ByteMemory) -> Range<Int>? {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start + Self.headerCount <= bytes.count {
                if Self.isPage(bytes, at: start), bytes[start + 5] & 2 != 0 {
                    var end = start
                    while let next = Self.end(bytes, ofPageAt: end) { end = next }
                    if end > start { return start..<end }
                }
                start += 1
            }
            return nil
        }
    }

    private static func isPage(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        bytes[offset] == UInt8(ascii: "O") && bytes[offset + 1] == UInt8(ascii: "g")
            && bytes[offset + 2] == UInt8(ascii: "g") && bytes[offset + 3] == UInt8(ascii: "S")
            && bytes[offset + 4] == 0 && bytes[offset + 5] < 8
    }

    /// Where a page ends; `nil` if none starts there, or not all of it is here.
    private static func end(_ bytes: UnsafeRawBufferPointer, ofPageAt offset: Int) -> Int? {
        guard offset + Self.headerCount <= bytes.count, Self.isPage(bytes, at: offset) else {
            return nil
        }
        let body = offset + Self.headerCount + Int(bytes[offset + 26])
        guard body <= bytes.count else { return nil }
        let end = bytes[(offset + Self.headerCount)..<body].reduce(body) { $0 + Int($1) }
        return end <= bytes.count ? end : nil
    }
}
