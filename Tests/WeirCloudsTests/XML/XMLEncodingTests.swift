// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WeirClouds

@Suite("The encoding of an XML document")
struct XMLEncodingTests {
    @Test(
        "Windows code pages are decoded as Foundation decodes them, byte by byte",
        arguments: [
            ("windows-1251", String.Encoding.windowsCP1251), ("CP1251", .windowsCP1251),
            ("windows-1252", .windowsCP1252),
        ]
    )
    func codePages(_ name: String, _ encoding: String.Encoding) throws {
        let head = Array("<?xml version='1.0' encoding='\(name)'?>".utf8)
        for byte in UInt8(0x80)...0xFF {
            // These code pages do not define all bytes.
            guard let text = String(bytes: head + [byte], encoding: encoding) else { continue }
            guard text.unicodeScalars.last?.value != 0xFFFD else { continue }
            #expect(String(decoding: XMLEncoding.utf8(head + [byte]), as: UTF8.self) == text)
        }
    }
}
