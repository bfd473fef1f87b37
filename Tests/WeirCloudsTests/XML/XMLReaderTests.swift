// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirClouds

@Suite("The reader of XML")
struct XMLReaderTests {
    private static func events(_ text: String) throws(XMLReader.Failure) -> [XMLReader.Event] {
        var reader = XMLReader(Array(text.utf8), deepest: 4)
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    private static func text(_ text: String) -> XMLReader.Event { .text(Array(text.utf8)) }

    @Test("gives elements with their namespaces, text and decoded references")
    func reads() throws {
        let document = """
            <?xml version="1.0"?><!-- a < b -->
            <a xmlns='urn:1' xmlns:p="urn:2" x="&lt;>"><p:b p:y='1'/>1 &lt; &#x32;&#51;<c xmlns=""><![CDATA[<&]]></c
            ><q:d/></a >
            """
        #expect(
            try Self.events(document) == [
                .started(.init(namespace: "urn:1", local: "a")),
                .started(.init(namespace: "urn:2", local: "b")), .ended, Self.text("1 < 23"),
                .started(.init(namespace: nil, local: "c")), Self.text("<&"), .ended,
                .started(.init(namespace: nil, local: "d")), .ended, .ended,
            ]
        )
    }

    @Test(
        "reports each fault and its offset",
        arguments: [
            ("", .cutOff, 0), ("  ", .cutOff, 2), ("<a", .cutOff, 2), ("<a>", .cutOff, 3),
            ("<a></b>", .malformed, 6), ("<a/><b/>", .malformed, 4), ("x<a/>", .malformed, 0),
            ("<a b></a>", .malformed, 4), ("<a b=1/>", .malformed, 5),
            ("<a>&b;</a>", .malformed, 3),
            ("<a>&#xD800;</a>", .malformed, 3), ("<a>& </a>", .malformed, 3),
            ("<!DOCTYPE a><a/>", .documentType, 0), ("<a><!ENTITY b></a>", .documentType, 3),
            ("<a><a><a><a><a>", .tooDeep, 12), ("<a><!-- ", .cutOff, 3), ("< a/>", .malformed, 1),
            ("</a>", .malformed, 3), ("<a b=\"<\"/>", .malformed, 5),
        ] as [(String, XMLReader.Failure.Reason, Int)]
    )
    func refuses(_ text: String, _ reason: XMLReader.Failure.Reason, _ offset: Int) {
        let failure = #expect(throws: XMLReader.Failure.self) { try Self.events(text) }
        #expect(failure == XMLReader.Failure(reason: reason, offset: offset))
    }

    @Test("allows a limited number of namespaces in one place, and any number one after the other")
    func namespaces() throws {
        let many = (0..<64).map { "xmlns:n\($0)=\"u\($0)\"" }.joined(separator: " ")
        #expect(
            try Self.events("<n63:a \(many)/>").first
                == .started(.init(namespace: "u63", local: "a"))
        )
        let failure = #expect(throws: XMLReader.Failure.self) {
            try Self.events("<a \(many)><b xmlns:c=\"d\"/></a>")
        }
        #expect(failure?.reason == .tooManyNamespaces)
        let scoped = String(repeating: "<b \(many)/>", count: 3)
        #expect(try Self.events("<a>\(scoped)</a>").count == 8)
    }
}
