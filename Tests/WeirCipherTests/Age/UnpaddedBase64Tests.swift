// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WeirCipher

@Suite("Base64 without padding")
struct UnpaddedBase64Tests {
    @Test("the vectors of RFC 4648, without their padding, are encoded and decoded")
    func vectors() {
        let vectors = [
            "": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE",
            "foobar": "Zm9vYmFy",
        ]
        for (text, spelled) in vectors {
            #expect([UInt8](base64Of: Array(text.utf8)) == Array(spelled.utf8))
            #expect([UInt8](decodingBase64: spelled.utf8) == Array(text.utf8))
        }
    }

    @Test(
        "every text of one or two characters is decoded only in its canonical form"
    )
    func canonical() {
        for first in UInt8(0)...255 {
            #expect([UInt8](decodingBase64: [first]) == nil)
            for second in UInt8(0)...255 {
                guard let bytes = [UInt8](decodingBase64: [first, second]) else { continue }
                #expect([UInt8](base64Of: bytes) == [first, second])
            }
        }
    }

    @Test("every byte at every place is encoded as Foundation encodes it")
    func foundation() {
        for count in 1..<5 {
            for position in 0..<count {
                for byte in UInt8(0)...255 {
                    var bytes = [UInt8](repeating: 0xA5, count: count)
                    bytes[position] = byte
                    let expected = Data(bytes).base64EncodedString().filter { $0 != "=" }
                    #expect([UInt8](base64Of: bytes) == Array(expected.utf8))
                    #expect([UInt8](decodingBase64: expected.utf8) == bytes)
                }
            }
        }
    }

    @Test(
        "surplus bits, padding, white space and other alphabets are refused",
        arguments: [
            "Zh", "Zm9", "Zm8=", "Zg==", "Z", "Zm9vY", "Zm9v\n", " Zg", "Z-8", "Z_8", "Zm9v\u{0}",
            "é",
        ]
    )
    func refused(_ text: String) {
        #expect([UInt8](decodingBase64: text.utf8) == nil)
    }
}
