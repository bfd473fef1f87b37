// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback

@Suite struct PCMIntegersTests {
    @Test("samples are rounded to the nearest integer, halves to even, and clipped at full scale")
    func rounding16() {
        let unit: Float = 1 / 32_768
        let cases: [(Float, Int16)] = [
            (0, 0), (0.5 * unit, 0), (1.5 * unit, 2), (2.5 * unit, 2), (-0.5 * unit, 0),
            (-1.5 * unit, -2), (0.51 * unit, 1), (-0.51 * unit, -1), (1, 32_767), (-1, -32_768),
            (32_766.5 * unit, 32_766), (32_767.5 * unit, 32_767), (9, 32_767), (-9, -32_768),
            (.infinity, 32_767), (-.infinity, -32_768), (.nan, 0),
        ]
        for (sample, integer) in cases {
            #expect(PCMIntegers.integer16(sample) == integer, "\(sample)")
        }
    }

    @Test("each of 16 bits survives a Float unchanged")
    func all16BitIntegers() {
        let isSame = (Int16.min...Int16.max).allSatisfy {
            PCMIntegers.integer16(Float($0) / 32_768) == $0
        }
        #expect(isSame)
    }

    @Test(
        "at 32 bits samples are clipped at full scale, and the halves that a Float can hold are rounded"
    )
    func rounding32() {
        #expect(PCMIntegers.integer32(1) == .max)
        #expect(PCMIntegers.integer32(-1) == .min)
        #expect(PCMIntegers.integer32(0.5) == 1 << 30)
        #expect(PCMIntegers.integer32(0x1p-32) == 0)
        #expect(PCMIntegers.integer32(0x1.8p-31) == 2)
        #expect(PCMIntegers.integer32(-0x1.8p-31) == -2)
        #expect(PCMIntegers.integer32(.infinity) == .max)
        #expect(PCMIntegers.integer32(.nan) == 0)
    }

    @Test("bytes are little-endian, with 2, 3 or 4 in a sample")
    func layout() {
        let samples: [Float] = [0x1.2345p-1 - 0.5, -0x1p-23]
        #expect(PCMIntegers.bits16.bytes(of: [0x102p-15, -1]) == [2, 1, 0, 0x80])
        #expect(PCMIntegers.bits24.bytes(of: [0x10203p-23, -0x1p-23]) == [3, 2, 1, 255, 255, 255])
        #expect(PCMIntegers.bits32.bytes(of: [0x102p-15]) == [0, 0, 2, 1])
        #expect(PCMIntegers.bits32.bytes(of: samples).count == 8)
        #expect(PCMIntegers.bits16.bytes(of: []).isEmpty)
    }

    @Test("samples are written with the next number of bytes that holds their significant bits")
    func bitsBySignificance() {
        let found = [1, 8, 16, 17, 20, 24, 25, 32, 64].map { PCMIntegers(significantBits: $0) }
        #expect(
            found == [
                .bits16, .bits16, .bits16, .bits24, .bits24, .bits24, .bits32, .bits32, .bits32,
            ]
        )
    }
}
