// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the dot-segments of a path, `.` and `..` (RFC 3986 §3.3), in every spelling that some server accepts.
///
/// Servers, and proxies before them, percent-decode once or several times. Some parsers drop control characters:
/// they read `..%09` as `..`. Some read `\` as a slash (Windows), or the part behind `;` as a parameter (servlets),
/// and cut at an encoded `#` or `?`.
package enum DotSegments {
    private static let dot = UInt8(ascii: ".")
    private static let slash = UInt8(ascii: "/")

    /// Whether a path contains a dot-segment.
    ///
    /// That is `.` between two slashes, or `..` between any two of `/`, `\`, `;`, `#` and `?`, after control
    /// characters, spaces and all percent-encodings are removed.
    ///
    /// - Parameter path: the path of a request target, as received, without its query.
    /// - Returns: whether the path contains one.
    package static func areIn(_ path: some Sequence<UInt8>) -> Bool {
        let isPlain = path.withContiguousStorageIfAvailable { self.isPlain($0) }
        return isPlain != true && self.areInDecoded(path)
    }

    /// Whether nothing in a path can be decoded or dropped, no segment starts with a dot, and only slashes separate.
    ///
    /// Nearly all paths are like that. They are checked for each request, and decoding takes much longer.
    private static func isPlain(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        var last = self.slash
        for byte in path {
            guard 0x20 < byte, byte < 0x7F, byte != UInt8(ascii: "%"), !self.isSeparator(byte),
                byte != self.dot || last != self.slash
            else { return false }
            last = byte
        }
        return true
    }

    private static func areInDecoded(_ path: some Sequence<UInt8>) -> Bool {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.underestimatedCount)
        // A control character may separate the parts of a percent-triplet, so it is dropped before decoding.
        for byte in path where !self.isControl(byte) {
            self.append(byte, to: &decoded, droppingControls: true)
        }
        var segment = Piece()
        var name = Piece()
        for byte in decoded {
            if self.isIgnored(byte) { continue }
            if byte == self.slash {
                if segment.isDots(1) || name.isDots(2) { return true }
                (segment, name) = (Piece(), Piece())
            } else if self.isSeparator(byte) {
                if name.isDots(2) { return true }
                segment.take(byte)
                name = Piece()
            } else {
                segment.take(byte)
                name.take(byte)
            }
        }
        return segment.isDots(1) || name.isDots(2)
    }

    /// A path after percent-decoding until nothing is left to decode.
    ///
    /// Some old decoders accept ASCII in two, three or four bytes (RFC 3629 §10); these forms become one byte, too.
    /// The time is proportional to the length.
    package static func fullyDecoded(_ path: some Sequence<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(path.underestimatedCount)
        for byte in path { self.append(byte, to: &out, droppingControls: false) }
        return out
    }

    /// Appends a byte and decodes; no two encodings overlap, so the order of decoding makes no difference.
    private static func append(
        _ byte: UInt8,
        to out: inout [UInt8],
        droppingControls dropsControls: Bool
    ) {
        var next: UInt8? = byte
        while let byte = next {
            next = nil
            if dropsControls, self.isControl(byte) { return }
            let count = out.count
            if count >= 2, out[count - 2] == UInt8(ascii: "%"),
                let high = out[count - 1].hexDigitValue, let low = byte.hexDigitValue
            {
                out.removeLast(2)
                next = high << 4 | low
                continue
            }
            switch (out.last, byte) {
            // A longer form becomes the next shorter one.
            case (0xF0, 0x80): out[count - 1] = 0xE0
            case (0xE0, 0x80): out[count - 1] = 0xC0
            case (0xE0, 0x81): out[count - 1] = 0xC1
            case (0xC0, 0x80...0xBF), (0xC1, 0x80...0xBF):
                next = (out.removeLast() & 1) << 6 | byte & 0x3F
            default: out.append(byte)
            }
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "#"), UInt8(ascii: "?"): true
        default: false
        }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// Whether a parser may drop the byte.
    ///
    /// These are the controls of ASCII and Latin-1, alone or in UTF-8 (`C2 80` to `C2 9F`). The space is another:
    /// Windows removes it from the end of a name.
    private static func isIgnored(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0x9F, 0xC2: true
        default: false
        }
    }

    /// The contents of a piece of the path.
    private struct Piece {
        private var dotCount = 0
        private var hasOthers = false

        mutating func take(_ byte: UInt8) {
            if byte == DotSegments.dot { self.dotCount += 1 } else { self.hasOthers = true }
        }

        func isDots(_ count: Int) -> Bool { !self.hasOthers && self.dotCount == count }
    }
}
