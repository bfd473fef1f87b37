// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("Segments of a path that some server reads as dots")
struct DotSegmentsTests {
    /// A path after a server has decoded it once; an escape without two hexadecimal digits stays as
    /// it is.
    private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[index...].dropFirst().prefix(2)
            if bytes[index] == 0x25, digits.count == 2,
                digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                out.append(byte)
                index += 3
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return out
    }

    /// Whether a server that decodes several times sees `.` or `..`; it drops control characters
    /// before and after each decoding.
    private static func seesDots(_ path: [UInt8], decodings: Int) -> Bool {
        var bytes = path
        for _ in 0..<decodings {
            bytes = Self.decodedOnce(bytes.filter { $0 > 0x1F && $0 != 0x7F })
        }
        bytes = bytes.filter { $0 > 0x1F && $0 != 0x7F }
        let isSeparated = bytes.split { [0x2F, 0x5C, 0x3B, 0x23, 0x3F].contains($0) }
        return isSeparated.contains([0x2E, 0x2E]) || bytes.split(separator: 0x2F).contains([0x2E])
    }

    @Test(
        "are found, however often they are encoded, and whatever is in them",
        arguments: 0..<20
    )
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let signs = Array("..../a\\;#?%2e2E2f0925\u{9}\u{A}\u{D}\u{7F}".utf8)
        var foundCount = 0
        for _ in 0..<1000 {
            var path = [UInt8(0x2F)]
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                var piece = [signs.randomElement(using: &random) ?? 0x2E]
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    let digits = String(piece.removeLast(), radix: 16)
                    piece += Array("%\(digits.count == 1 ? "0" : "")\(digits)".utf8)
                    if Bool.random(using: &random), let sign = piece.firstIndex(of: 0x25) {
                        piece.replaceSubrange(sign...sign, with: "%25".utf8)
                    }
                }
                path += piece
            }
            let text = String(decoding: path, as: UTF8.self)
            let isFound = DotSegments.areIn(path)
            if isFound { foundCount += 1 }
            for decodings in 0...5 where Self.seesDots(path, decodings: decodings) {
                #expect(isFound, "seed \(seed): \(text)")
            }
        }
        #expect(foundCount > 20)
    }

    @Test(
        "do not include others",
        arguments: [
            "/", "/a", "/...", "/..a", "/a..", "/.a", "/a;b", "/a%5C..b", "/%E2%80%A6", "//", "/%",
            "/%2",
        ]
    )
    func others(path: String) {
        #expect(!DotSegments.areIn(path.utf8))
    }

    @Test("are decoded fully, and quickly")
    func bounded() {
        let deep = "/%" + String(repeating: "25", count: 100_000) + "2e"
        #expect(DotSegments.fullyDecoded(deep.utf8) == [0x2F, 0x2E])
        #expect(DotSegments.fullyDecoded("%%32e%4%31".utf8) == Array(".A".utf8))
    }

    @Test("the quick check of plain paths gives the same result as decoding")
    func plainPaths() {
        let alphabet = Array("//...ab%2eEc09;\\#?\u{7F} \u{1}\u{85}é".utf8)
        for _ in 0..<20_000 {
            let path = (0..<Int.random(in: 0...8)).map { _ in alphabet.randomElement() ?? 0 }
            // Bytes that are not contiguous are always decoded.
            #expect(DotSegments.areIn(path) == DotSegments.areIn(path.lazy.map { $0 }), "\(path)")
        }
    }
}
