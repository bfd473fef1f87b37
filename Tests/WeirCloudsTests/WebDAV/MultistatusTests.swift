// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("A multistatus")
struct MultistatusTests {
    private static func responses(_ text: String) -> [MultistatusResponse]? {
        MultistatusResponse.all(in: Array(text.utf8))
    }

    private static let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"

    /// One file in a folder, as each server writes it.
    private static let dialects: [(String, String)] = [
        (
            "Apache",
            """
            <D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
            <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/">
            <D:href>/dav/M%c3%bcsic/a%20b.mp3</D:href><D:propstat><D:prop>
            <lp1:resourcetype/><lp1:getcontentlength>22</lp1:getcontentlength>
            <lp1:getlastmodified>Wed, 10 Jul 2024 16:02:35 GMT</lp1:getlastmodified>
            <lp1:getetag>"16-61"</lp1:getetag><lp2:executable>F</lp2:executable>
            <D:getcontenttype>audio/mpeg</D:getcontenttype></D:prop>
            <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
            """
        ),
        (
            "nginx",
            """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/M%C3%BCsic/a%20b.mp3</D:href>
            <D:propstat><D:prop><D:displayname>a b.mp3</D:displayname>
            <D:getcontentlength>22</D:getcontentlength><D:getcontenttype>audio/mpeg</D:getcontenttype>
            <D:getlastmodified>Wed, 10 Jul 2024 16:02:35 GMT</D:getlastmodified><D:resourcetype></D:resourcetype>
            <D:lockdiscovery/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
            </D:multistatus>
            """
        ),
        (
            "rclone",
            """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/M%C3%BCsic/a%20b.mp3</D:href>\
            <D:propstat><D:prop><D:getcontentlength>22</D:getcontentlength><D:getcontenttype>audio/mpeg\
            </D:getcontenttype><D:getlastmodified>Wed, 10 Jul 2024 16:02:35 GMT</D:getlastmodified>\
            <D:resourcetype></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
            <D:propstat><D:prop><D:getetag></D:getetag></D:prop>\
            <D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response></D:multistatus>
            """
        ),
        (
            "sabre",
            """
            <d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns">\
            <d:response><d:href>/dav/M%c3%bcsic/a%20b.mp3</d:href><d:propstat><d:prop>\
            <d:getcontentlength>0</d:getcontentlength></d:prop><d:status>HTTP/1.1 404 Not Found</d:status>\
            </d:propstat><d:propstat><d:prop><d:resourcetype/><d:getcontentlength>22</d:getcontentlength>\
            <oc:getcontentlength>99</oc:getcontentlength>\
            <d:getlastmodified>Wed, 10 Jul 2024 16:02:35 GMT</d:getlastmodified>\
            <d:getcontenttype>audio/mpeg</d:getcontenttype></d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
            """
        ),
        (
            "Yandex",
            """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>https://h:443/dav/M%C3%BCsic/a%20b.mp3?x</d:href>
            <d:propstat><d:status>HTTP/1.1 200 OK</d:status><d:prop><d:creationdate>2024</d:creationdate>
            <d:getlastmodified>2024-07-10T16:02:35Z</d:getlastmodified><d:getetag>00ff</d:getetag>
            <d:getcontenttype>audio/mpeg</d:getcontenttype><d:resourcetype/>
            <d:getcontentlength> 22 </d:getcontentlength></d:prop></d:propstat></d:response></d:multistatus>
            """
        ),
        (
            "default namespace and CDATA",
            """
            <multistatus xmlns="DAV:"><response><href><![CDATA[/dav/M%C3%BCsic/a%20b.mp3]]></href><propstat>
            <prop><getcontentlength>22</getcontentlength><getcontenttype>audio/mpeg</getcontenttype>
            <getlastmodified>Wed, 10 Jul 2024 16:02:35 GMT</getlastmodified></prop></propstat></response>
            </multistatus>
            """
        ),
    ]

    @Test("is read in the dialect of each server", arguments: Self.dialects)
    func readsDialects(_ server: String, _ text: String) throws {
        let found = try #require(Self.responses(Self.head + text))
        #expect(found.count == 1)
        let entry = FolderEntry(
            name: "a b.mp3",
            kind: .file,
            length: 22,
            mediaType: .mpegAudio,
            modifiedSeconds: 1_720_627_355
        )
        #expect(found.first == MultistatusResponse(place: "/dav/Müsic/a b.mp3", entry: entry))
        #expect(found.first?.isAt("/dav/M%c3%bcsic/a%20b.mp3/") == true)
    }

    /// A response for a folder and its entries at these paths.
    private static func folder(_ own: String, _ hrefs: [String], more: String = "") -> String {
        let others = hrefs.map { href in
            """
            <d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:resourcetype/></d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
            """
        }
        return """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(own)</d:href><d:propstat><d:prop>\
            <d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status>\
            </d:propstat></d:response>\(others.joined())\(more)</d:multistatus>
            """
    }

    private static func names(_ target: String, _ text: String) -> [String]? {
        Self.responses(text).map {
            MultistatusResponse.children(of: target, in: $0).entries.map(\.name)
        }
    }

    @Test("gives a folder's entries without the folder itself, wherever that is")
    func dropsOwn() {
        for own in ["/dav/M/", "/dav/M", "https://h/dav/M/", "/d%61v/%4d/"] {
            let text = Self.folder(own, ["/dav/M/b", "/dav/M/a/", "/dav/M/a/deeper", "/dav/other"])
            #expect(Self.names("/dav/M/", text) == ["b", "a"])
        }
        #expect(Self.names("/dav/M/", Self.folder("/dav/M/", [])) == [])
        #expect(Self.names("/", Self.folder("/", ["/a", "/b/"])) == ["a", "b"])
        #expect(Self.names("/", Self.folder("/", [])) == [])
    }

    @Test("gives the entries also behind a proxy that has changed the paths")
    func dropsOwnBehindProxy() {
        let text = Self.folder("/remote.php/M/", ["/remote.php/M/b", "/remote.php/M/a/"])
        #expect(Self.names("/dav/M/", text) == ["b", "a"])
        #expect(Self.names("/dav/M/", Self.folder("/remote.php/M/", [])) == [])
    }

    @Test("gives names with characters that have a meaning in addresses")
    func tellsOddNames() {
        let hrefs = ["/M/a%3Ab%3Fc%23d%25e%2Bf.mp3", "/M/http:%2F%2Fx", "/M/1&amp;2", "/M/a+b"]
        #expect(Self.names("/M/", Self.folder("/M/", hrefs)) == ["a:b?c#d%e+f.mp3", "1&2", "a+b"])
    }

    @Test("gives no name that leads elsewhere")
    func dropsEvilNames() {
        let hrefs = ["/M/%2e%2e", "/M/.", "/M/a%00b", "/M/good", "/M/..%2f..%2fx"]
        #expect(Self.names("/M/", Self.folder("/M/", hrefs)) == ["good"])
    }

    @Test("gives names that are not one line of text in escaped form")
    func tellsUnshownNames() {
        let hrefs = [
            "/M/a%0Ab", "/M/t%09ab", "/M/caf%E9", "/M/a%1b[31m", "/M/a%5Cx0Ab", "/M/back%5Cslash",
        ]
        #expect(
            Self.names("/M/", Self.folder("/M/", hrefs)) == [
                "a\\x0Ab", "t\\x09ab", "caf\\xE9", "a\\x1B[31m", "a\\x5Cx0Ab", "back\\slash",
            ]
        )
        // The parser also finds entries below a folder whose name is escaped.
        #expect(Self.names("/caf%E9/", Self.folder("/caf%e9/", ["/caf%E9/x"])) == ["x"])
    }

    @Test("leaves out entries with an error status")
    func dropsFailed() {
        let more = """
            <d:response><d:href>/M/gone</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>\
            <d:response><d:href>/M/there</d:href><d:status>HTTP/1.1 200 OK</d:status></d:response>\
            <d:response><d:status>HTTP/1.1 200 OK</d:status></d:response>
            """
        #expect(Self.names("/M/", Self.folder("/M/", [], more: more)) == ["there"])
    }

    @Test("without properties has files of unknown length")
    func toleratesMissing() throws {
        let text = """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>/a</d:href></d:response><d:response>\
            <d:href>/b</d:href><d:propstat><d:prop><d:getcontentlength>-1</d:getcontentlength>\
            <d:getlastmodified>yesterday</d:getlastmodified><d:getcontenttype>?</d:getcontenttype></d:prop>\
            </d:propstat></d:response></d:multistatus>
            """
        let found = try #require(Self.responses(text))
        #expect(found.map(\.entry.name) == ["a", "b"])
        #expect(found.allSatisfy { $0.entry.length ?? 0 == 0 && $0.entry.kind == .file })
        #expect(found.allSatisfy { $0.entry.modifiedSeconds == nil })
    }

    @Test(
        "is refused with a document type, and with another root",
        arguments: [
            "", "<html/>", "{}", "<multistatus/>", "<x:multistatus xmlns:x=\"other\"/>",
            "<!DOCTYPE d [<!ENTITY a \"b\">]><d:multistatus xmlns:d=\"DAV:\"/>",
            "<!--\(String(repeating: "x", count: 5000))--><!DOCTYPE d [<!ENTITY a \"b\">]>"
                + "<d:multistatus xmlns:d=\"DAV:\"/>",
            "<d:multistatus xmlns:d=\"DAV:\">", "<d:multistatus xmlns:d=\"DAV:\"/><x/>",
            "<a xmlns=\"DAV:\"><multistatus/></a>",
            "<d:multistatus xmlns:d=\"DAV:\">" + String(repeating: "<a>", count: 100)
                + String(repeating: "</a>", count: 100) + "</d:multistatus>",
        ]
    )
    func refuses(_ text: String) {
        #expect(Self.responses(text) == nil)
    }

    private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test("is read in UTF-16 and in Latin-1, and refused with a document type in them, too")
    func readsEncodings() {
        let list =
            "<multistatus xmlns=\"DAV:\"><response><href>/M/é.mp3</href></response></multistatus>"
        let doctype = "<!DOCTYPE d [<!ENTITY a \"b\">]>"
        for isBigEndian in [true, false] {
            for mark in ["\u{FEFF}", ""] {
                let head = "\(mark)<?xml version=\"1.0\" encoding=\"utf-16\"?>"
                let found = MultistatusResponse.all(
                    in: Self.utf16(head + list, isBigEndian: isBigEndian)
                )
                #expect(found?.map(\.entry.name) == ["é.mp3"])
                let evil = Self.utf16(head + doctype + list, isBigEndian: isBigEndian)
                #expect(MultistatusResponse.all(in: evil) == nil)
            }
        }
        let head = "<?xml version='1.0' encoding='ISO-8859-1'?>"
        let latin = (head + list).unicodeScalars.map { UInt8($0.value) }
        #expect(MultistatusResponse.all(in: latin)?.map(\.entry.name) == ["é.mp3"])
        // Without an encoding declaration, the bytes stay as they are.
        let bare = list.unicodeScalars.map { UInt8($0.value) }
        #expect(MultistatusResponse.all(in: bare)?.map(\.entry.name) == ["\\xE9.mp3"])
        #expect(Self.responses("\u{FEFF}\n\r\n \(Self.head)\(list)")?.count == 1)
    }

    @Test(
        "is read though another property's namespace is relative or undeclared",
        arguments: [
            "<x:y xmlns:x=\"props\">1</x:y>", "<x:y>1</x:y>", "<y xmlns=\"\">1</y>",
            "<x:y xmlns:x=\"\"/>", "<x:getcontentlength>99</x:getcontentlength>",
        ]
    )
    func ignoresOtherNamespaces(_ property: String) throws {
        let text = """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>/M/a</d:href><d:propstat><d:prop>\(property)\
            <d:getcontentlength>5</d:getcontentlength></d:prop></d:propstat></d:response></d:multistatus>
            """
        let found = try #require(Self.responses(text))
        #expect(found.map(\.entry.name) == ["a"] && found.first?.entry.length == 5)
    }

    @Test("has names in paths with two consecutive slashes")
    func toleratesTwoSlashes() {
        let text = Self.folder("//dav//M/", ["//dav//M//b", "/dav/M//a/", "https://h//dav/M/c"])
        #expect(Self.names("/dav/M/", text) == ["b", "a", "c"])
        #expect(Self.names("//dav/M/", Self.folder("/dav/M/", ["/dav/M/b"])) == ["b"])
    }

    @Test("has a folder where the path ends in a slash and no type is given")
    func tellsFoldersBySlash() throws {
        let text = """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>/M/a/</d:href></d:response><d:response>\
            <d:href>/M/b/</d:href><d:propstat><d:prop><d:resourcetype/></d:prop></d:propstat></d:response>\
            <d:response><d:href>/M/c</d:href></d:response></d:multistatus>
            """
        let found = try #require(Self.responses(text))
        #expect(found.map(\.entry.kind) == [.folder, .file, .file])
    }

    @Test("is read up to the limit of an answer, without a limit of the reader's own")
    func readsLongAnswers() throws {
        let filler = "<x>\(String(repeating: "x", count: 300_000))</x>"
        let more = (0..<40).map { index in
            """
            <d:response><d:href>/M/\(index)</d:href><d:propstat><d:prop>\(filler)<d:resourcetype/></d:prop>\
            </d:propstat></d:response>
            """
        }
        let text = Self.folder("/M/", [], more: more.joined())
        #expect(text.utf8.count > 11 << 20)
        #expect(Self.names("/M/", text)?.count == 40)
    }

    @Test("is refused when it is cut at any byte")
    func refusesCut() {
        for (_, text) in Self.dialects {
            let bytes = Array(text.utf8)
            let isRefused = bytes.indices.allSatisfy {
                MultistatusResponse.all(in: Array(bytes[..<$0])) == nil
            }
            #expect(isRefused)
        }
    }

    @Test("never traps, whatever its bytes", arguments: 0..<300)
    func neverTraps(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(Self.dialects[Int(seed) % Self.dialects.count].1.utf8)
        for _ in 0..<Int.random(in: 1..<8, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                in: 0...255,
                using: &random
            )
        }
        _ = MultistatusResponse.all(in: bytes).map {
            MultistatusResponse.children(of: "/dav/", in: $0)
        }
        var text = Array(Self.dialects[Int(seed) % Self.dialects.count].1.utf8)
        let signs = Array("<>/&;:=\"' xD!?[]-".utf8)
        for _ in 0..<Int.random(in: 1..<8, using: &random) {
            let index = Int.random(in: 0..<text.count, using: &random)
            if text[index] < 0x80 { text[index] = signs.randomElement(using: &random) ?? 0x20 }
        }
        _ = MultistatusResponse.all(in: text)
        let noise = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
        _ = MultistatusResponse.all(in: noise)
    }
}
