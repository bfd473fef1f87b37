// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("The checksums and the search of FLAC")
struct FLACChecksumTests {
    @Test("The checksum of a frame agrees with the definition, for every length and seed")
    func frames() {
        var generator = SeededGenerator(seed: 5)
        let bytes = (0..<6000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for count in [0, 1, 2, 15, 16, 17, 223, 1023, 1024, 1119, 1120, 1121, 3000, 4480, 6000] {
            let start = Array(bytes[..<count])
            #expect(
                ByteMemory(start).withView { FLACChecksum.crc16($0) } == FLACBuilder.crc16(start)
            )
            for split in [0, 1, 2, count / 3, count / 2, count] where split <= count {
                let whole = ByteMemory(start).withView { view in
                    FLACChecksum.crc16(
                        view[split..<count],
                        seed: FLACChecksum.crc16(view[0..<split])
                    )
                }
                #expect(whole == FLACBuilder.crc16(start))
            }
        }
        for count in 1000..<1600 {
            let part = Array(bytes[(count - 1000)..<(2 * count - 1000)])
            let checksum = ByteMemory(part).withView { FLACChecksum.crc16($0) }
            #expect(checksum == FLACBuilder.crc16(part), "\(count) bytes")
        }
    }

    @Test("A sync code is found at every position, and nothing else is")
    func syncs() {
        for count in 0..<60 {
            for position in 0..<max(1, count) {
                for second in [UInt8(0xF7), 0xF8, 0xF9, 0xFA, 0xFF] {
                    var bytes = [UInt8](repeating: 0xFF, count: count)
                    if position + 1 < count { bytes[position + 1] = second }
                    let expected = position + 1 < count && second & 0xFE == 0xF8 ? position : nil
                    let found = ByteMemory(bytes).withView { $0.firstFLACSync(from: 0) }
                    #expect(found == expected)
                    let later = ByteMemory(bytes).withView { $0.firstFLACSync(from: position + 1) }
                    #expect(later == nil)
                }
            }
        }
    }
}
