// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Checks whether decrypted bytes have a known format; with a wrong key, they are noise.
struct PlainContent {
    /// How many bytes at the start are examined: enough for two frames of audio, which must agree.
    static let headLength = 16_384

    private var head: [UInt8] = []

    /// Whether there are enough bytes to decide.
    var isFull: Bool { self.head.count >= Self.headLength }

    /// Adds the next bytes; ignores those beyond the limit.
    mutating func append(_ memory: ByteMemory) {
        let count = Self.headLength - self.head.count
        self.head += memory.withUnsafeBytes { Array($0.prefix(count)) }
    }

    /// Whether the bytes are of a known format, or text, or empty.
    var isKnown: Bool {
        self.head.isEmpty || MediaType.sniffed(from: self.head) != nil || self.isText
    }

    /// UTF-8 without control characters except white space; the last letter may be cut.
    private var isText: Bool {
        let isPlain = self.head.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0)
        }
        return isPlain
            && (0..<min(4, self.head.count)).contains { cut in
                String(validating: self.head.dropLast(cut), as: UTF8.self) != nil
            }
    }
}
