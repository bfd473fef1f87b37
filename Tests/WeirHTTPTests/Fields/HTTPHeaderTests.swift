// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource

@Suite("A header")
struct HTTPHeaderTests {
    @Test(
        "is read from one line",
        arguments: [
            ("Authorization: OAuth abc", "Authorization", "OAuth abc"), ("X:", "X", ""),
            ("a:b:c", "a", "b:c"), ("  X-Y \t:\t v w ", "X-Y", "v w"), ("n: ü", "n", "ü"),
        ]
    )
    func isRead(_ text: String, _ name: String, _ value: String) throws {
        let header = try HTTPHeader(parsing: text)
        #expect(header.name == name)
        #expect(header.value == value)
    }

    @Test("without a colon is refused, and not repeated, since it may be a secret")
    func needsColon() {
        let error = #expect(throws: SourceError.self) { try HTTPHeader(parsing: "OAuth topsecret") }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "A header was given without a colon between its name and its value; write it as"
                + " 'Name: value'."
        )
    }

    @Test(
        "is refused if it could contain another one",
        arguments: [
            ": v", "  : v", "a b: v", "ü: v", "a: x\r\nb: y", "a: x\nb", "a: x\u{0}", "a: \u{7F}",
        ]
    )
    func isRefused(_ text: String) {
        let error = #expect(throws: SourceError.self) { try HTTPHeader(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("'Name: value'") == true || text.hasPrefix("a:"))
    }

    @Test("list finds names in any case, in order")
    func listFinds() throws {
        let list = HTTPHeaderList(received: [("ETag", "1"), ("vary", "a, b"), ("VARY", " c ")])
        #expect(list["etag"] == "1")
        #expect(list.values(of: "Vary") == ["a, b", "c"])
        #expect(!list.contains("ETags"))
    }

    @Test("list shows only names, in every kind of description")
    func listIsSilent() throws {
        var list = HTTPHeaderList([try HTTPHeader(parsing: "Authorization: topsecret")])
        list.append(try HTTPHeader(name: "Cookie", value: "topsecret"))
        let options = HTTPOrigin.Options(headers: list)
        var dumped = ""
        dump(options, to: &dumped)
        for text in [
            "\(list)", "\(list.headers)", String(reflecting: options), "\(options)", dumped,
        ] {
            #expect(!text.contains("topsecret"))
            #expect(text.contains("Authorization"))
        }
    }
}
