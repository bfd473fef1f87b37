// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource

@Suite("A Location, relative to an address")
struct OriginURLReferenceTests {
    @Test(
        "is resolved as RFC 3986 §5.4 shows",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
            (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
            ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ]
    )
    func isResolved(_ reference: String, _ expected: String) throws {
        let base = try OriginURL("http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).location() == expected)
    }

    @Test(
        "may lead to other sites, without a user",
        arguments: [
            ("https://B.org/x%2Fy?z=%20", "https://b.org/x%2Fy?z=%20"),
            ("https://b.org", "https://b.org/"), ("//b.org:81?q", "http://b.org:81/?q"),
            ("http://u:p@b.org/x", "http://b.org/x"), ("/Lied ü", "http://a:8000/Lied%20%C3%BC"),
        ]
    )
    func mayLeadAway(_ reference: String, _ expected: String) throws {
        let base = try OriginURL("http://user:secret@a:8000/b")
        let url = try base.resolving(reference)
        #expect(url.location() == expected)
        #expect(url.userInfo == nil)
    }

    @Test(
        "is refused if it cannot be followed",
        arguments: ["ftp://h/x", "mailto:a@b", "http:", "http:x", "//", "http://h:x/", "/a\u{1}b"]
    )
    func isRefused(_ reference: String) throws {
        let base = try OriginURL("http://a/b?secret=1")
        let error = #expect(throws: SourceError.self) { try base.resolving(reference) }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("secret") == false)
    }
}
