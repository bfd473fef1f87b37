// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("Paths that leave the served folder")
struct ServedPathTests {
    @Test(
        "paths with a part that some server takes for the way up",
        arguments: [
            "/..", "/../a", "/a/..", "/%2e%2E/a", "/.%2e", "/..%5Cadmin", "/a%5c..%5Cb",
            "/..%255Cadmin",
            "/..#", "/..%23x", "/..%3Fx", "/..;/x", "/..;a=1/x", "/a;..;b", "/%252e%252e/x",
            "/%25252e./x",
            "/a%252f..%252fb", "/a%2f..%2fb", "/a%2Fb", "/a%00b", "/.", "/./a", "/%2e/a",
            "/\u{2E}\u{2E}/\u{301}x", "/%c0%ae%C0%AE/x", "/%e0%80%ae%E0%80%AE/x",
            "/%f0%80%80%ae./x", "/..%e0%81%9cx",
            "/.%2500./x", "/%25252500", "/..%c0%afx", "/..%c1%9cx",
            "/a/../\u{301}b", "/..%09/x", "/..%0a", "/.%0d.", "/..%250a", "/%252e.%2509",
            "/..%7F/a",
        ]
    )
    func climbing(_ path: String) {
        #expect(ServedPath.climbs(path[...]))
    }

    @Test(
        "no paths whose dots, backslashes and semicolons are parts of names",
        arguments: [
            "/a.mp3", "/back%5Cslash.mp3", "/a;b.mp3", "/a;v=1/b", "/...", "/..a", "/a..",
            "/a%5C..b",
            "/100%25.mp3", "/100%.mp3", "/What%3F.mp3", "/a%23b", "/a%2523b", "/%5C%5Cserver%5Cx",
            "/.hidden",
            "/%c3%a4", "/%E9", "/",
        ]
    )
    func staying(_ path: String) {
        #expect(!ServedPath.climbs(path[...]))
    }

    @Test("a path with endless encoding is refused quickly")
    func bounded() {
        let deep = "/%" + String(repeating: "25", count: 8000) + "2e"
        #expect(ServedPath.climbs(deep[...]))
    }

    /// The path as the most lenient server reads it: its names, or `nil` if the path leaves the root.
    private static func normalised(_ path: String, decodings: Int) -> [String]? {
        func value(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x37
            case 0x61...0x66: byte - 0x57
            default: nil
            }
        }
        var bytes = Array(path.utf8)
        for _ in 0..<decodings {
            var out: [UInt8] = []
            var index = 0
            while index < bytes.count {
                if bytes[index] == 0x25, index + 2 < bytes.count,
                    let high = value(bytes[index + 1]),
                    let low = value(bytes[index + 2])
                {
                    out.append(high * 16 + low)
                    index += 3
                } else {
                    out.append(bytes[index])
                    index += 1
                }
            }
            bytes = out
        }
        bytes = Array(bytes.prefix { $0 != 0x23 && $0 != 0x3F })
        var names: [String] = []
        for name in bytes.split(whereSeparator: { [0x2F, 0x5C, 0x3B].contains($0) }) {
            switch Array(name) {
            case [0x2E]: continue
            case [0x2E, 0x2E]: if names.popLast() == nil { return nil }
            default: names.append(String(decoding: name, as: UTF8.self))
            }
        }
        return names
    }

    @Test(
        "no admitted path leaves the base, however a server reads it",
        arguments: 0..<40
    )
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let origin = try OriginURL("https://u:p@cloud.example/big/dir/")
        let signs = Array("../\\;#?%a2eE5cCfF3".utf8)
        var count = 0
        for _ in 0..<TestLength.short(600, long: 3000) {
            var text = "/big/dir/"
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                var piece = String(
                    decoding: [signs[Int.random(in: 0..<signs.count, using: &random)]],
                    as: UTF8.self
                )
                // The piece is percent-encoded up to three times.
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    piece = piece.utf8.map { byte in
                        let digits = String(byte, radix: 16, uppercase: Bool.random(using: &random))
                        return Bool.random(using: &random) || piece.utf8.count == 1
                            ? "%\(digits)" : String(decoding: [byte], as: UTF8.self)
                    }.joined()
                }
                text += piece
            }
            guard let url = origin.url(at: text[...]) else { continue }
            count += 1
            let target = url.path
            for decodings in 0...3 {
                let names = Self.normalised(target, decodings: decodings)
                let isBelow = names?.prefix(2).elementsEqual(["big", "dir"]) == true
                #expect(isBelow, "\(text) became \(target)")
            }
        }
        #expect(count > 100)
    }

    @Test("a listed name is served under its own path, whatever its characters")
    func listed() throws {
        for name in [
            "back\\slash.mp3", "a;b#c?d%e.mp3", "a\\x0Ab.mp3", "caf\\xE9.mp3", "%2e%2e.mp3",
        ] {
            let path = try FolderPath("/M/\(name)")
            let target = ServedPath.encoded(path)
            #expect(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C })
            #expect(ServedPath.decoded(target[...]) == path)
        }
        #expect(ServedPath.encoded(try FolderPath("a\\x0Ab\\xE9")) == "/a%0Ab%E9")
    }
}
