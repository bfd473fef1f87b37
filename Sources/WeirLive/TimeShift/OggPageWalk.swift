// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Goes from page to page of an Ogg stream (RFC 3533 §6) by the page headers.
///
///     offset 0   "OggS" | version 0 | flags | granule 8 | serial 4 | sequence 4 | CRC 4 | n | n sizes | segments
///
/// It keeps one header, and trusts it without checking its checksum. A wrong header costs a page at most, since the
/// reader checks the page. When no page follows, it looks for the next capture pattern.
struct OggPageWalk: Sendable {
    private static let pattern: [UInt8] = Array("OggS".utf8)
    private static let fixedCount = 27

    /// The bytes received so far of a page's header.
    private var header: [UInt8] = []
    /// How many bytes of the page's segments are still missing.
    private var left = 0

    /// Forgets its position: the next bytes come from elsewhere.
    mutating func restart() {
        self.header.removeAll(keepingCapacity: true)
        self.left = 0
    }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: bytes of the stream.
    ///   - offset: the offset of the first of them.
    /// - Returns: the pages whose headers end in these bytes.
    mutating func push(_ bytes: ByteMemory, at offset: Int64) -> [OggPageSpan] {
        var pages: [OggPageSpan] = []
        bytes.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                if self.left > 0 {
                    let step = min(self.left, bytes.count - index)
                    self.left -= step
                    index += step
                    continue
                }
                if self.header.isEmpty {
                    guard let next = bytes[index...].firstIndex(of: Self.pattern[0]) else { return }
                    index = next
                }
                self.header.append(bytes[index])
                index += 1
                while !self.isPossible { self.header.removeFirst() }
                if let page = self.page(endingAt: offset + Int64(index)) {
                    pages.append(page)
                    self.left = page.byteCount - self.header.count
                    self.header.removeAll(keepingCapacity: true)
                }
            }
        }
        return pages
    }

    /// Whether the kept bytes can be the beginning of a page.
    private var isPossible: Bool {
        let count = self.header.count
        guard count <= 6 else { return true }
        for index in 0..<min(count, 4) where self.header[index] != Self.pattern[index] {
            return false
        }
        return (count < 5 || self.header[4] == 0) && (count < 6 || self.header[5] < 8)
    }

    /// The page whose header is complete.
    private func page(endingAt end: Int64) -> OggPageSpan? {
        guard self.header.count >= Self.fixedCount,
            self.header.count == Self.fixedCount + Int(self.header[26])
        else { return nil }
        let body = self.header[Self.fixedCount...].reduce(0) { $0 + Int($1) }
        return OggPageSpan(
            offset: end - Int64(self.header.count),
            headerCount: self.header.count,
            byteCount: self.header.count + body,
            isContinued: self.header[5] & 1 != 0,
            isFirst: self.header[5] & 2 != 0,
            serial: self.number(at: 14),
            sequence: self.number(at: 18),
            checksum: self.number(at: 22)
        )
    }

    private func number(at index: Int) -> UInt32 {
        self.header[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The position of a page of an Ogg stream, and its relation to other pages (RFC 3533 §6).
struct OggPageSpan: Hashable, Sendable {
    /// The offset of its first byte.
    var offset: Int64
    /// How many bytes its header has, 27 to 282.
    var headerCount: Int
    /// How many bytes it has, 27 to 65,307.
    var byteCount: Int
    /// Whether it begins in the middle of a packet.
    var isContinued: Bool
    /// Whether it is the first of its logical stream.
    var isFirst: Bool
    /// The serial number of its logical stream.
    var serial: UInt32
    /// Its number in its logical stream.
    var sequence: UInt32
    /// The checksum in its header.
    var checksum: UInt32

    /// Where the next page should begin.
    var end: Int64 { self.offset + Int64(self.byteCount) }
}
