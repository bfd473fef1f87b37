// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirHTTP

@Suite("The fields of a response")
struct FieldCodecTests {
    @Test(
        "hold dates in three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_800),
            ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
        ] as [(String, Int64)]
    )
    func holdDates(_ text: String, _ seconds: Int64) {
        #expect(Int64(httpDate: text) == seconds)
    }

    @Test(
        "hold no dates in other forms",
        arguments: [
            "", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nix 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ]
    )
    func holdNoOtherDates(_ text: String) {
        #expect(Int64(httpDate: text) == nil)
    }

    @Test(
        "give a delay",
        arguments: [
            ("0", nil, .zero), ("120", nil, .seconds(120)), (" 7 ", nil, .seconds(7)),
            ("99999999999999999999999", nil, .longestRetryAfter),
            ("9223372036854775807", nil, .longestRetryAfter), ("-1", nil, nil), ("1.5", nil, nil),
            ("", nil, nil), ("soon", nil, nil),
            ("Sun, 06 Nov 1994 08:49:47 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", .seconds(10)),
            ("Sun, 06 Nov 1994 08:49:27 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", .zero),
            ("Sun, 06 Nov 1994 08:49:47 GMT", nil, nil),
        ] as [(String, String?, Duration?)]
    )
    func sayHowLongToWait(_ value: String, _ date: String?, _ delay: Duration?) {
        #expect(Duration(retryAfter: value, date: date) == delay)
    }

    @Test(
        "name a file safely",
        arguments: [
            ("attachment; filename=\"Song One.mp3\"", "Song One.mp3"), ("inline", nil), ("", nil),
            ("attachment; filename=song.mp3; size=3", "song.mp3"),
            ("attachment; FileName = \"a;b\\\"c.mp3\" ; x", "a;b\"c.mp3"),
            ("attachment; filename=x.mp3; filename*=UTF-8''%e2%82%ac%20rates.mp3", "€ rates.mp3"),
            ("attachment; filename*=iso-8859-1'en'%A3.mp3", "£.mp3"),
            ("attachment; filename*=UTF-8''%FF; filename=y.mp3", "y.mp3"),
            ("attachment; filename*=UTF-16''x; filename=y.mp3", "y.mp3"),
            ("attachment; filename=\"../../etc/passwd\"", "passwd"),
            ("attachment; filename=\"C:\\\\dir\\\\z.mp3\"", "z.mp3"),
            ("attachment; filename=\"..\"", nil),
            ("attachment; filename=\"a\u{202E}3pm.exe\"", "a3pm.exe"),
            ("attachment; filename=\"", nil),
            ("attachment; filename", nil), (";;;=;filename=ok", "ok"),
        ] as [(String, String?)]
    )
    func nameFile(_ value: String, _ name: String?) {
        #expect(ParameterizedValue(value).fileName == name)
    }

    @Test("give no file name of more than 255 bytes, and cut no character")
    func nameShortFile() throws {
        let name = try #require(
            ParameterizedValue("a; filename=\"\(String(repeating: "ü", count: 300))\"").fileName
        )
        #expect(name == String(repeating: "ü", count: 127))
    }

    @Test(
        "hold entity tags",
        arguments: [
            ("\"abc\"", "\"abc\"", false, false), ("W/\"abc\"", "\"abc\"", true, false),
            ("2bf4a775", "\"2bf4a775\"", false, true), ("\"\"", "\"\"", false, false),
            ("W/abc", "\"abc\"", true, true), ("\"a b\"", "\"a b\"", false, false),
        ]
    )
    func holdTags(_ value: String, _ quoted: String, _ isWeak: Bool, _ isBare: Bool) throws {
        let tag = try #require(EntityTag(value))
        #expect(tag.quoted == quoted)
        #expect(tag.isWeak == isWeak)
        #expect(tag.isBare == isBare)
    }

    @Test("hold no invalid entity tags", arguments: ["", "W/", "\"", "\"a\"b\"", "a\"b", "\u{1}"])
    func holdNoBrokenTags(_ value: String) {
        #expect(EntityTag(value) == nil)
    }

    @Test("can be cut and flipped everywhere without a trap")
    func surviveDamage() {
        let values = [
            "attachment; filename=\"a\\\"b\"; filename*=UTF-8''%e2%82%ac",
            "multipart/byteranges; boundary=\"x y\"",
            "Sun, 06 Nov 1994 08:49:37 GMT", "W/\"abc\"",
        ]
        for value in values {
            let bytes = Array(value.utf8)
            for index in bytes.indices {
                for flipped in [bytes[index] ^ 0x20, 0, 0x22, 0x25, 0x3B, 0xFF] {
                    var damaged = bytes
                    damaged[index] = flipped
                    for text in [
                        String(decoding: damaged, as: UTF8.self),
                        String(decoding: bytes[..<index], as: UTF8.self),
                    ] {
                        _ = ParameterizedValue(text).fileName
                        _ = Int64(httpDate: text)
                        _ = EntityTag(text)
                        let parsed = ParameterizedValue(text)
                        #expect(parsed.parameters.count <= 4)
                    }
                }
            }
        }
    }

    @Test(
        "base64 gives the texts of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
    )
    func areEncoded(_ text: String, _ code: String) {
        #expect(text.utf8.base64Encoded == code)
    }
}
