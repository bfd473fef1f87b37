// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirCRC32C
import Testing
import WeirTestKit

@testable import WeirCache

@Suite("CRC-32C")
struct ChecksumTests {
    @Test("both paths give the check value of the catalogue of checksums")
    func standardVector() {
        let text = Array("123456789".utf8)
        #expect(Checksum().taking(text).value == 0xE306_9283)
        #expect(weir_crc32c_table(0, text, text.count) == 0xE306_9283)
    }

    @Test("both paths give the vectors of RFC 3720")
    func iSCSIVectors() {
        let vectors: [([UInt8], UInt32)] = [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C),
        ]
        for (bytes, sum) in vectors {
            #expect(weir_crc32c(0, bytes, bytes.count) == sum)
            #expect(weir_crc32c_table(0, bytes, bytes.count) == sum)
        }
    }

    @Test(
        "the processor's path and the table's path agree for every length and alignment",
        arguments: [7]
    )
    func pathsAgree(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes.withUnsafeBytes { all in
            for start in 0..<9 {
                for count in 0..<80 {
                    let part = UnsafeRawBufferPointer(rebasing: all[start..<(start + count)])
                    let start = UInt32.random(in: 0 ... .max, using: &generator)
                    let fast = weir_crc32c(start, part.baseAddress, part.count)
                    let slow = weir_crc32c_table(start, part.baseAddress, part.count)
                    #expect(fast == slow, "seed \(seed), \(count) bytes")
                }
            }
        }
    }

    @Test("the checksums of two pieces give the checksum of the whole, wherever the cut is")
    func pieces() {
        let bytes = PatternBytes.bytes(in: 0..<200)
        let whole = Checksum().taking(bytes)
        for cut in 0...bytes.count {
            #expect(Checksum().taking(bytes[..<cut]).taking(bytes[cut...]) == whole)
        }
    }

    @Test("an empty input does not change the checksum")
    func nothing() {
        #expect(Checksum(0x1234).taking([]).value == 0x1234)
        #expect(weir_crc32c_table(0x1234, nil, 0) == 0x1234)
    }
}
