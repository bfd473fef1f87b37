// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirSource

@Suite("Signatures of formats")
struct FormatSignatureTests {
    @Test("Each signature is found, and none hides another", arguments: FormatSignature.all.indices)
    func table(_ index: Int) {
        let signature = FormatSignature.all[index]
        var bytes = [UInt8](repeating: 0x2E, count: 512)
        var end = 0
        for mark in signature.marks {
            end = mark.offset + mark.bytes.count
            bytes.replaceSubrange(mark.offset..<end, with: mark.bytes)
        }
        let found = bytes.withUnsafeBytes { FormatSignature.first(in: $0) }
        #expect(found?.name == signature.name && found?.type == signature.type)
        // Without its last byte, the signature is not found.
        let cut = bytes[..<(end - 1)].withUnsafeBytes { FormatSignature.first(in: $0) }
        #expect(cut == nil)
    }

    @Test("Without bytes, there is no signature")
    func nothing() {
        #expect([UInt8]().withUnsafeBytes { FormatSignature.first(in: $0) } == nil)
    }

    @Test("Bytes that may still become a signature count as cut, and other bytes do not")
    func cut() {
        let packet = [0x47] + [UInt8](repeating: 0x11, count: 187)
        let packets = packet + packet + packet
        for count in [1, 16, 188, 189, 376] {
            #expect(packets[..<count].withUnsafeBytes { FormatSignature.isCut(in: $0) })
        }
        #expect(!packets[..<377].withUnsafeBytes { FormatSignature.isCut(in: $0) })
        #expect(!(packet + packet[1...]).withUnsafeBytes { FormatSignature.isCut(in: $0) })
        #expect(!"Creative".utf8.map { $0 }.withUnsafeBytes { FormatSignature.isCut(in: $0) })
    }
}
