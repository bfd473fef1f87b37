// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirHTTP

@Suite("A jar of cookies")
struct CookieJarTests {
    private static let url = "https://media.test/folder/song.mp3"

    private func set(
        _ values: [String],
        from url: String = url,
        date: String? = "Sun, 06 Nov 1994 08:49:37 GMT",
        in jar: CookieJar = CookieJar()
    ) throws -> CookieJar {
        var jar = jar
        let fields = values.map { ("Set-Cookie", $0) } + (date.map { [("Date", $0)] } ?? [])
        jar.received(HTTPHeaderList(received: fields), from: try OriginURL(url), at: .zero)
        return jar
    }

    private func sent(_ jar: CookieJar, to url: String = url) throws -> String? {
        var headers = HTTPHeaderList()
        jar.add(to: &headers, for: try OriginURL(url))
        return headers["Cookie"]
    }

    @Test(
        "reads a field by RFC 6265",
        arguments: [
            ("a=b", "a=b"), (" a = b ; x", "a=b"), ("a=b=c", "a=b=c"), ("a=\"b c\"", "a=\"b c\""),
            ("a=", "a="), ("a", nil), ("=b", nil), ("", nil), ("a=b\u{1}c", nil),
            ("a=b; Max-Age=0", nil), ("a=b; Max-Age=-1", nil), ("a=b; Max-Age=x", "a=b"),
            ("a=b; Max-Age=99999999999999999999", "a=b"),
            ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil),
            ("a=b; Expires=Thu, 01-Jan-1970 00:00:01 GMT", nil),
            ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5", "a=b"),
            ("a=b; Expires=Mon, 07 Nov 1994 08:49:37 GMT", "a=b"), ("a=b; Expires=soon", "a=b"),
            ("a=b; Domain=media.test", "a=b"), ("a=b; domain=.TEST", "a=b"),
            ("a=b; Domain=edia.test", nil), ("a=b; Domain=other.test", nil),
            ("a=b; Domain=sub.media.test", nil),
        ] as [(String, String?)]
    )
    func reads(_ field: String, _ expected: String?) throws {
        #expect(try self.sent(self.set([field])) == expected)
    }

    @Test(
        "sends a cookie by path and scheme, and to its host alone",
        arguments: [
            ("a=b", "https://media.test/folder/other.mp3", true),
            ("a=b", "https://media.test/folder", true),
            ("a=b", "https://media.test/folder/sub/x", true),
            ("a=b", "https://media.test/folder2/x", false), ("a=b", "https://media.test/", false),
            ("a=b; Path=/", "https://media.test/x", true),
            ("a=b; Path=folder", "https://media.test/x", false),
            ("a=b; Path=/f", "https://media.test/folder/x", false),
            ("a=b; Path=/f/", "https://media.test/f/x", true),
            ("a=b; Path=/", "http://media.test/x", true),
            ("a=b; Path=/; Secure", "http://media.test/x", false),
            ("a=b; Path=/; Secure", "https://media.test/x", true),
            ("a=b; Path=/; Domain=test", "https://test/x", false),
            ("a=b; Path=/; Domain=media.test", "https://sub.media.test/x", false),
        ]
    )
    func sends(_ field: String, _ url: String, _ isSent: Bool) throws {
        #expect(try self.sent(self.set([field]), to: url) == (isSent ? "a=b" : nil))
    }

    @Test("replaces and removes by name and path, and sends longer paths first")
    func replaces() throws {
        let jar = try self.set(["a=1; Path=/", "b=2; Path=/", "a=3; Path=/folder", "a=4; Path=/"])
        #expect(try self.sent(jar) == "a=3; a=4; b=2")
        let fewer = try self.set(["a=; Path=/; Max-Age=0"], in: jar)
        #expect(try self.sent(fewer) == "a=3; b=2")
    }

    @Test("drops expired cookies")
    func forgets() throws {
        var jar = try self.set(["a=1; Max-Age=10", "b=2"])
        jar.expire(at: .seconds(9))
        #expect(try self.sent(jar) == "a=1; b=2")
        jar.expire(at: .seconds(10))
        #expect(try self.sent(jar) == "b=2")
    }

    @Test("holds at most 50 cookies and 16 KiB for a host, and 16 hosts")
    func isBounded() throws {
        let many = try self.set((0..<80).map { "c\($0)=x" })
        #expect(try self.sent(many)?.split(separator: ";").count == 50)
        var jar = CookieJar()
        for index in 0..<80 {
            jar = try self.set(["c\(index)=" + String(repeating: "x", count: 1_000)], in: jar)
        }
        let size = try #require(try self.sent(jar)).utf8.count
        #expect((10_000...16_384).contains(size))
        #expect(try self.sent(jar)?.contains("c79=") == true)
        #expect(try self.sent(self.set(["a=" + String(repeating: "x", count: 17_000)])) == nil)
        var hosts = CookieJar()
        for index in 0..<40 {
            hosts = try self.set(["a=b"], from: "https://h\(index)/x", in: hosts)
        }
        #expect(try self.sent(hosts, to: "https://h15/x") == "a=b")
        #expect(try self.sent(hosts, to: "https://h16/x") == nil)
    }

    @Test("shows no cookie in its descriptions")
    func showsNothing() throws {
        let jar = try self.set(["pass=s3cret"])
        var text = "\(jar) \(String(reflecting: jar)) "
        dump(jar, to: &text)
        #expect(!text.contains("s3cret") && !text.contains("pass"))
    }
}
