// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource

@Suite("The address of an origin")
struct OriginURLTests {
    struct Parsed: Sendable, CustomTestStringConvertible {
        let text: String
        let authority: String
        let port: Int
        let path: String
        let query: String?
        var testDescription: String { self.text }
    }

    @Test(
        "is split into its parts, byte for byte",
        arguments: [
            Parsed(text: "http://h/", authority: "h", port: 80, path: "/", query: nil),
            Parsed(text: "https://h/a", authority: "h", port: 443, path: "/a", query: nil),
            Parsed(text: "https://h:443/a", authority: "h", port: 443, path: "/a", query: nil),
            Parsed(text: "http://h:443/a", authority: "h:443", port: 443, path: "/a", query: nil),
            Parsed(
                text: "HTTP://Ex.ORG:/A%2fb",
                authority: "ex.org",
                port: 80,
                path: "/A%2fb",
                query: nil
            ),
            Parsed(
                text: "https://h/a/./../b//c;p=1?x=%20&y=a+b&[z]=1?2#frag",
                authority: "h",
                port: 443,
                path: "/a/./../b//c;p=1",
                query: "x=%20&y=a+b&[z]=1?2"
            ),
            Parsed(
                text: "https://h/100%.mp3?",
                authority: "h",
                port: 443,
                path: "/100%.mp3",
                query: ""
            ),
            Parsed(
                text: " https://[2001:DB8::1]:8080/x\n",
                authority: "[2001:db8::1]:8080",
                port: 8080,
                path: "/x",
                query: nil
            ),
            Parsed(text: "https://[::1]/x", authority: "[::1]", port: 443, path: "/x", query: nil),
            Parsed(
                text: "https://h/Lied ü.mp3?q=ä b",
                authority: "h",
                port: 443,
                path: "/Lied%20%C3%BC.mp3",
                query: "q=%C3%A4%20b"
            ),
            Parsed(
                text: "http://a_b-c.d/x",
                authority: "a_b-c.d",
                port: 80,
                path: "/x",
                query: nil
            ),
        ]
    )
    func isCut(_ expected: Parsed) throws {
        let url = try OriginURL(expected.text)
        #expect(url.authority == expected.authority)
        #expect(url.port == expected.port)
        #expect(url.path == expected.path)
        #expect(url.query == expected.query)
        #expect(url.requestTarget == expected.path + (expected.query.map { "?\($0)" } ?? ""))
    }

    @Test(
        "is refused if no request can be sent to it",
        arguments: [
            "", "h/a", "//h/a", "ftp://h/a", "file:///a", "http:/a", "http:///a", "http://:80/a",
            "http://h:0/a", "http://h:65536/a", "http://h:12x/a", "http://h:99999999999999999999/a",
            "http://[::1/a", "http://[::1]x/a", "http://[zz]/a", "http://münchen.de/a",
            "http://a b/c",
            "http://h/a\r\nX: y", "http://h/a?\u{0}", "http://u:p@/a", "http://%41/a",
            "http://h\\a/b",
        ]
    )
    func isRefused(_ text: String) {
        let error = #expect(throws: SourceError.self) { try OriginURL(text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test(
        "without a path is refused with advice",
        arguments: ["https://h", "https://u:p@h?x=1"]
    )
    func needsPath(_ text: String) {
        let error = #expect(throws: SourceError.self) { try OriginURL(text) }
        #expect(
            error?.message
                == "The URL https://h names a host but no file; add the path of the media after it."
        )
    }

    @Test("gives its user and password, decoded, and shows them nowhere")
    func splitsUserInfo() throws {
        let url = try OriginURL("https://m%40x:s%3Acret%2F@h/a?sig=topsecret")
        #expect(url.userInfo?.user == "m@x")
        #expect(url.userInfo?.password == "s:cret/")
        #expect(url.display == "https://h/a")
        var dumped = ""
        dump(url, to: &dumped)
        for text in [
            "\(url)", String(reflecting: url), dumped, "\(url.userInfo as Any)",
            String(reflecting: [url]),
        ] {
            #expect(!text.contains("cret") && !text.contains("m@x") && !text.contains("sig"))
        }
        #expect(try OriginURL("https://a@b@h/x").userInfo?.user == "a@b")
    }

    @Test("gives a key's text without the volatile parts of its query")
    func makesLocation() throws {
        let url = try OriginURL("https://u:p@H:444/a%20b?b=1&X-Sig=abc&a=2&X%2dSig=d&c")
        #expect(url.location() == "https://h:444/a%20b?b=1&X-Sig=abc&a=2&X%2dSig=d&c")
        #expect(url.location(withoutQuery: ["X-Sig"]) == "https://h:444/a%20b?b=1&a=2&c")
        #expect(url.location(withoutQuery: ["a", "b", "c", "X-Sig"]) == "https://h:444/a%20b")
        #expect(try OriginURL("https://h/a?").location() == "https://h/a?")
    }

    @Test(
        "gives another address of its site, as if the whole address had been read",
        arguments: [
            "/", "/b%20c", "//other/x", "/a:b", "/a?b?c", "/a?", "/a#b", "/a?b#c", "/a b", "/é ",
            "/a \t", "/a?b ", "/a\u{3000}", "/@x:1/",
        ],
        ["https://h", "http://u:p@[::1]:8080"]
    )
    func givesAnother(_ target: String, at site: String) throws {
        let url = try OriginURL("\(site)/folder/a?b")
        #expect(try url.replacing(target: target) == OriginURL("\(site)\(target)"))
        #expect(throws: SourceError.self) { try url.replacing(target: "x\(target)") }
    }

    @Test(
        "gives the name of its file",
        arguments: [
            ("/a/Song%20One.MP3", "Song One.MP3", "mp3"), ("/a/", nil, nil), ("/", nil, nil),
            ("/a%2Fb.ogg", "b.ogg", "ogg"), ("/..%2F..%2Fetc", "etc", nil), ("/%2e%2e", nil, nil),
            ("/a.tar.gz", "a.tar.gz", "gz"), ("/.hidden", ".hidden", nil), ("/a.", "a.", nil),
            ("/a%00b.mp3", "ab.mp3", "mp3"), ("/c:%5Cx%5Cy.wav", "y.wav", "wav"),
            ("/%FF.mp3", "\u{FFFD}.mp3", "mp3"), ("/100%.mp3", "100%.mp3", "mp3"),
        ] as [(String, String?, String?)]
    )
    func namesFile(_ path: String, _ name: String?, _ suffix: String?) throws {
        let url = try OriginURL("https://h\(path)")
        #expect(url.fileName == name)
        #expect(url.fileExtension == suffix)
    }
}
