// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first bytes of a resource, with reads that are checked against their end.
///
/// Valid for as long as the pointer from which it was made.
struct FirstBytes {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { self.bytes.count }

    /// The byte at an offset; `nil` outside the bytes.
    subscript(offset: Int) -> UInt8? {
        offset >= 0 && offset < self.bytes.count ? self.bytes[offset] : nil
    }

    /// Whether the bytes have all these characters at an offset.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        text.withUTF8Buffer { self.has($0, at: offset) }
    }

    /// Whether the bytes have all these bytes at an offset.
    func has(_ pattern: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        guard offset >= 0, pattern.count <= self.bytes.count - offset else { return false }
        return self.bytes[offset..<(offset + pattern.count)].elementsEqual(pattern)
    }

    /// Whether the bytes have these characters at an offset, in upper or lower case; `text` is in
    /// lower case.
    func hasAnyCase(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { pattern in
            guard offset >= 0, pattern.count <= self.bytes.count - offset else { return false }
            return zip(self.bytes[offset...], pattern).allSatisfy { byte, letter in
                let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                return (isUpperCase ? byte | 0x20 : byte) == letter
            }
        }
    }

    /// The first offset, from a start on, that has these characters.
    func firstOffset(of text: StaticString, from start: Int) -> Int? {
        guard start >= 0, start < self.count else { return nil }
        return (start..<self.count).first { self.has(text, at: $0) }
    }

    /// An unsigned number of 32 bits, the most significant byte first.
    func bigEndian32(at offset: Int) -> UInt32? {
        guard offset >= 0, offset <= self.bytes.count - 4 else { return nil }
        return UInt32(bigEndian: self.bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The bytes from an offset on; empty if the offset is outside the bytes.
    func dropping(_ count: Int) -> FirstBytes {
        FirstBytes(UnsafeRawBufferPointer(rebasing: self.bytes.dropFirst(max(0, count))))
    }
}
