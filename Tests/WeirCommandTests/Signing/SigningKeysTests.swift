// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("URLs with an end")
struct SigningKeysTests {
    private static let text = "new 0123456789abcdef\nold fedcba9876543210\n"
    private let now = Watched<Int64>(1000)

    private func keys(_ text: String = Self.text) throws -> SigningKeys {
        let time: @Sendable () -> Int64 = { [now] in now.value }
        let keys = SigningKeys(text, now: time)
        return try #require(keys)
    }

    private static func reason(_ ruling: AddressRuling?) -> String? {
        if case .refused(_, let reason) = ruling { reason } else { nil }
    }

    // MARK: Admission

    @Test(
        "a signed path is admitted, in every spelling",
        arguments: [
            ("/a/b.mp3", "/a/b.mp3"), ("/a/b.mp3?x=1", "/a/b.mp3?x=1"), ("/a/b%20c", "/a/%62%20c"),
            ("/a/%C3%BC", "/%61/%c3%bc"), ("/a/", "/a/"), ("/a/", "/a/b.mp3"),
            ("/a/", "/a/b/c/d?e"),
            ("/a/", "/a/?m3u"), ("/a/", "/%61/b"), ("/", "/"), ("/", "/a/b"), ("/a/b/", "/a/b/c"),
            ("/a;b/", "/a;b/c"), ("/song%3Fv%3D2", "/song%3fv=2"),
            ("/A%20%28b%29/", "/A%20(b)/c(d)"),
            ("/a%c3%bc", "/a%c3%bc"), ("/\u{FC}/", "/%C3%BC/\u{FC}?\u{FC}"),
        ]
    )
    func admitted(signed: String, asked: String) throws {
        let keys = try self.keys()
        let url = try #require(keys.signed(signed, until: 2000))
        let named = try #require(ServedPath.asked(signed[...]))
        #expect(url.hasSuffix(named.path + named.query))
        let right = url.split(separator: "/")[0]
        let ruling = keys.ruling(on: "/\(right)\(asked)")
        guard case .admitted(let target) = ruling else {
            Issue.record("\(String(describing: ruling))")
            return
        }
        // The origin gets the signed spelling of the signed path.
        if signed.hasSuffix("/") {
            #expect(target.hasPrefix(named.path))
        } else {
            #expect(target == named.path + named.query)
        }
    }

    @Test(
        "no path but the signed one is admitted",
        arguments: [
            ("/a/b.mp3", "/a/c.mp3"), ("/a/b.mp3", "/a/b.mp3/"), ("/a/b.mp3", "/a/b.mp3/c"),
            ("/a/b.mp3", "/a/b.mp3?"), ("/a/b.mp3", "/a/b.mp3?x"), ("/a/b.mp3?x=1", "/a/b.mp3"),
            ("/a/b.mp3?x=1", "/a/b.mp3?x=2"), ("/a/b.mp3", "/a/B.mp3"), ("/a/b.mp3", "/"),
            ("/a/b.mp3", "/a/"), ("/a/", "/b/"), ("/a/", "/a"), ("/a/", "/ab/c"), ("/a/", "/"),
            ("/a/", "/a/../b"), ("/a/", "/a/%2e%2e/b"), ("/a/", "/a/%2e%2e%2fb"), ("/a/", "/a%2f"),
            ("/a/", "/a/%252e%252e/b"), ("/a/", "/a/..%5cb"), ("/a/b/", "/a/c/"), ("/a/b/", "/a/b"),
            ("/e%CC%81/", "/%C3%A9/x"), ("/a/", "/a//b"), ("/a/b/", "/a//b/c"), ("/a/b", "/a//b"),
            ("/song%3Fv=2", "/song?v=2"), ("/song?v=2", "/song%3Fv=2"), ("/a%3Bb", "/a%253Bb"),
            ("/a;b", "/a%3Bb"), ("/a%2Cb/", "/a%252Cb/c"), ("/a", "/a#"), ("/a%23", "/a#"),
            ("/a/", "/a/..%09/b"), ("/a/", "/a/..%0a"), ("/a/", "/a/.%0d."), ("/a/", "/a/..%250a"),
            ("/a?b%20c", "/a?b+c"), ("/a?b", "/a?%62"), ("/a?b", "/a%3Fb"),
        ]
    )
    func refused(signed: String, asked: String) throws {
        let keys = try self.keys()
        let url = try #require(keys.signed(signed, until: 2000))
        let right = url.dropLast(signed.utf8.count)
        let ruling = keys.ruling(on: "\(right)\(asked)")
        #expect(ruling == .refused(target: asked, reason: "The URL is signed for another path."))
    }

    @Test("a path that leads upwards, or a folder too deep for a number, cannot be signed")
    func unsignable() throws {
        let keys = try self.keys()
        let deep = String(repeating: "/a", count: 254)
        #expect(keys.signed("/a/../b", until: 2000) == nil)
        #expect(keys.signed("/a/%2e%2e/", until: 2000) == nil)
        #expect(keys.signed("\(deep)/", until: 2000) != nil)
        #expect(keys.signed("\(deep)/a/", until: 2000) == nil)
        #expect(keys.signed("\(deep)/a", until: 2000) != nil)
    }

    // MARK: Any path

    /// The origin's request for a target: a web server gets the bytes, a service the decoded path.
    private static func request(_ target: some StringProtocol, ofService isService: Bool) throws
        -> [UInt8]?
    {
        let target = Substring(target)
        guard isService else {
            let server = try OriginURL("https://cloud.example/root/")
            return server.url(below: target).map { Array($0.requestTarget.utf8) }
        }
        // A name contains no slash, so the slashes between the names are unambiguous.
        return ServedPath.decoded(target).map { path in
            path.componentBytes.flatMap { [0x2F] + $0 } + (path.isFolder ? [0x2F] : [])
        }
    }

    /// A random path of characters that have a meaning for some server, each in some spelling.
    private static func target(_ random: inout SeededGenerator) -> String {
        let signs = Array("ab/?;#%.=&+@:(\u{9}\u{A}\u{D} ~\u{E9}e\u{301}".utf8)
        var target = "/"
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let byte = signs.randomElement(using: &random) ?? 0x61
            target += Self.spelled(byte, Int.random(in: 0...3, using: &random), &random)
        }
        return target
    }

    /// A byte, percent-encoded `times` times.
    private static func spelled(
        _ byte: UInt8,
        _ times: Int,
        _ random: inout SeededGenerator
    ) -> String {
        guard times > 0 || byte <= 0x20 || byte >= 0x7F else {
            return String(UnicodeScalar(byte))
        }
        let digits = String(byte, radix: 16, uppercase: Bool.random(using: &random))
        return "%" + String(repeating: "25", count: max(0, times - 1))
            + (digits.count == 1 ? "0" : "") + digits
    }

    /// The same path or another one: some bytes get another spelling, and a few are dropped.
    private static func changed(_ target: String, _ random: inout SeededGenerator) -> String {
        var out = ""
        var bytes = Array(target.utf8)[...]
        while let byte = bytes.popFirst() {
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where byte != 0x2F: out += Self.spelled(byte, 1, &random)
            case 1 where byte == 0x25 && bytes.count > 1:
                let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
                if let decoded = UInt8(digits, radix: 16), (0x21...0x7E).contains(decoded) {
                    out += String(UnicodeScalar(decoded))
                    bytes.removeFirst(2)
                } else {
                    out += "%"
                }
            case 2 where Int.random(in: 0..<4, using: &random) == 0: break
            default: out += String(decoding: [byte], as: UTF8.self)
            }
        }
        return out.hasPrefix("/") ? out : "/\(out)"
    }

    @Test(
        "no admitted target requests another resource of the origin than the signed one",
        arguments: 0..<40
    )
    func property(seed: UInt64) throws {
        let keys = try self.keys()
        var random = SeededGenerator(seed: seed)
        var (fileCount, folderCount, respelledCount) = (0, 0, 0)
        for _ in 0..<TestLength.short(200, long: 800) {
            let isMeantAsFolder = Int.random(in: 0..<4, using: &random) == 0
            let named = Self.target(&random) + (isMeantAsFolder ? "/" : "")
            guard let url = keys.signed(named, until: 2000) else { continue }
            let right = url.split(separator: "/")[0]
            // A path may continue with any text below a signed folder.
            let below = named.last == "/" && Bool.random(using: &random)
            let asked =
                Self.changed(named, &random) + (below ? Self.target(&random).dropFirst() : "")
            guard case .admitted(let target)? = keys.ruling(on: "/\(right)\(asked)") else {
                continue
            }
            // The signature of a folder does not cover its query.
            let path = ServedPath.path(of: named[...])
            let isFolder = path.hasSuffix("/")
            for isService in [false, true] {
                let request = try Self.request(isFolder ? path : named[...], ofService: isService)
                let wanted = try #require(request, "\(named)")
                guard let got = try Self.request(target, ofService: isService) else { continue }
                let name = "\(named), asked as \(asked): \(target)"
                if isFolder {
                    #expect(got.starts(with: wanted), "seed \(seed): \(name)")
                    // A service gets no query.
                    let rest = got.dropFirst(wanted.count).prefix { isService || $0 != 0x3F }
                    #expect(!DotSegments.areIn(rest), "seed \(seed): \(name)")
                } else {
                    #expect(got == wanted, "seed \(seed): \(name)")
                }
            }
            if isFolder { folderCount += 1 } else { fileCount += 1 }
            if asked != named { respelledCount += 1 }
        }
        #expect(fileCount > 5 && folderCount > 5 && respelledCount > 5)
    }

    // MARK: Ends, keys, changes

    @Test("the right for a playlist is one for the items below it, and has the same end")
    func playlist() throws {
        let keys = try self.keys()
        for (list, query) in [("/a/film.m3u8", ""), ("/a/b%20c", "?id=7"), ("/live/", "")] {
            let url = try #require(keys.signed("\(list)\(query)", until: 2000))
            let right = url.split(separator: "/")[0]
            let item = list.hasSuffix("/") ? "~hls/~AB/0.ts" : "/~hls/~AB/0.ts"
            let ruling = keys.ruling(on: "/\(right)\(list)\(item)\(query)")
            #expect(ruling == .admitted(target: "\(list)\(item)\(query)"))
            let deeper = keys.ruling(on: "/\(right)\(list)\(item)/~hls/~AB/0.ts\(query)")
            #expect(deeper == .admitted(target: "\(list)\(item)/~hls/~AB/0.ts\(query)"))
            guard !list.hasSuffix("/") else { continue }
            for other in ["/a/other.m3u8\(item)", "/a\(item)", "\(list)/0.ts", "\(list)/~hls/0.ts"]
            {
                #expect(
                    Self.reason(keys.ruling(on: "/\(right)\(other)\(query)")) != nil,
                    "\(other)"
                )
            }
            self.now.update { $0 = 2000 }
            #expect(Self.reason(keys.ruling(on: "/\(right)\(list)\(item)\(query)")) != nil)
            self.now.update { $0 = 1000 }
        }
    }

    @Test("a URL expires at its end, and not before")
    func end() throws {
        let keys = try self.keys()
        let url = try #require(keys.signed("/a", until: 2000))
        self.now.update { $0 = 1999 }
        #expect(keys.ruling(on: url[...]) == .admitted(target: "/a"))
        for time in [2000, 2001, Int64.max] {
            self.now.update { $0 = time }
            #expect(Self.reason(keys.ruling(on: url[...])) == "The URL has expired.")
        }
    }

    @Test(
        "each key of the file is valid, a missing one is not, and another secret is another key"
    )
    func rotation() throws {
        let old = try self.keys("old fedcba9876543210\n")
        let url = try #require(old.signed("/a", until: 2000))
        #expect(url.hasPrefix("/~old~"))
        #expect(try self.keys().ruling(on: url[...]) == .admitted(target: "/a"))
        let new = try self.keys("new 0123456789abcdef\n")
        #expect(
            Self.reason(new.ruling(on: url[...]))
                == "The URL is signed with the key old, which is not in use."
        )
        let other = try self.keys("old fedcba9876543211\n")
        #expect(Self.reason(other.ruling(on: url[...])) == "The signature of the URL was changed.")
    }

    @Test("any changed letter of the signed part makes the URL invalid")
    func changed() throws {
        let keys = try self.keys()
        let url = try #require(keys.signed("/a", until: 2000))
        let letters = Array(url.utf8)
        let end = letters.count - 2
        for index in 2..<end {
            for letter in "AZaz09-_~.=+%".utf8 where letter != letters[index] {
                var changed = letters
                changed[index] = letter
                let ruling = keys.ruling(on: String(decoding: changed, as: UTF8.self)[...])
                if case .admitted = ruling { Issue.record("\(index): \(letter)") }
            }
            var cut = letters
            cut.remove(at: index)
            if case .admitted = keys.ruling(on: String(decoding: cut, as: UTF8.self)[...]) {
                Issue.record("without \(index)")
            }
        }
    }

    @Test(
        "a target that is not a signed URL is left to the check of the secret",
        arguments: [
            "/", "/a/b", "/~", "/~/", "/~a", "/~a/b", "/~a~b~c/d", "/0123456789abcdef/~a~b/c",
        ]
    )
    func others(target: String) throws {
        #expect(try self.keys().ruling(on: target[...]) == nil)
    }

    @Test("random bytes are never admitted, and never trap")
    func garbage() throws {
        let keys = try self.keys()
        var generator = SeededGenerator(seed: 22)
        let alphabet = Array("~/AZaz09-_%.?\u{301}".utf8)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0..<90, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let ruling = keys.ruling(on: "/~new~\(String(decoding: bytes, as: UTF8.self))"[...])
            if case .admitted = ruling { Issue.record("\(bytes)") }
        }
    }

    // MARK: The file

    @Test(
        "a file of keys is read, with comments and empty lines",
        arguments: [
            "a 0123456789abcdef",
            "# keys\n\n a  0123456789abcdef # mine\r\nb-_2 0123456789abcdef\n",
        ]
    )
    func file(text: String) {
        #expect(SigningKeys(text) != nil)
    }

    @Test(
        "any other file is refused",
        arguments: [
            "", "# none\n", "a", "a 0123456789abcde", "a~b 0123456789abcdef", "0123456789abcdef",
            "a 0123456789abcdef b", "a 0123456789abcdef\na 0123456789abcdeg",
        ]
    )
    func wrongFile(text: String) {
        #expect(SigningKeys(text) == nil)
    }

    @Test("a new key is valid, and different each time")
    func newKey() throws {
        let lines = (0..<50).map { _ in SigningKeys.newLine() }
        #expect(Set(lines).count == 50)
        for line in lines { #expect(SigningKeys(line) != nil) }
    }
}
