// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTestServers

@Suite("Escapes and arguments")
struct EscapingTests {
    @Test(
        "escaped text is decoded unchanged",
        arguments: ["a b", "Музыка/песня.mp3", "100%+1", "a&b=c#?"]
    )
    func roundTrip(_ text: String) throws {
        let escaped = text.escaped()
        #expect(try escaped.unescaped(of: "a test", allowing: "") == text)
    }

    @Test(
        "an argument with a wrong escape is refused",
        arguments: [
            "a=b c", "a=%", "a=%4", "a=%zz", "a=1+1", "a=é", "a=%ff", "a", "a=1&a=2", "b=1",
            "a=1&&a",
        ]
    )
    func refused(_ query: String) {
        #expect(throws: ServerError.self) { try Arguments(query: query, known: ["a"]) }
    }

    @Test("characters that a query may hold are accepted")
    func reserved() throws {
        let arguments = try Arguments(query: "path=disk:/a,b;c=d&x=", known: ["path", "x"])
        #expect(arguments["path"] == "disk:/a,b;c=d")
        #expect(arguments["x"]?.isEmpty == true)
    }

    @Test("a plus is a space in a form")
    func form() throws {
        let arguments = try Arguments(form: Array("a=1+%2B".utf8), known: ["a"])
        #expect(arguments["a"] == "1 +")
    }

    @Test("without a query there are no arguments")
    func empty() throws {
        #expect(try Arguments(query: nil, known: []).names.isEmpty)
    }
}
