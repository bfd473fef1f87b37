// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import Testing
import WeirPlayback

@testable import WeirALSA

@Suite struct ALSASamplesTests {
    @Test("samples of 24 bits reach a device of 24 bits bit for bit, in three bytes and in four")
    func bits24() {
        let values: [Int32] = [0, 1, -1, 8_388_607, -8_388_608, 12_345, -777]
        let samples = values.map { Float($0) * 0x1p-23 }
        var packed = ALSASamples(WEIR_ALSA_SIGNED24_PACKED, channelCount: 1)
        #expect(packed.frameSize == 3)
        #expect(
            packed.bytes(of: samples)
                == values.flatMap { value in
                    (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                }
        )
        var wide = ALSASamples(WEIR_ALSA_SIGNED24, channelCount: 1)
        #expect(wide.frameSize == 4)
        #expect(
            wide.bytes(of: samples)
                == values.flatMap { value in
                    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                }
        )
    }

    @Test("a device of 16 bits gets 16 bits unchanged, and dithered samples of more bits")
    func dither() {
        let values = (0..<1000).map { Int16(truncatingIfNeeded: $0 * 40_503) }
        var device = ALSASamples(WEIR_ALSA_SIGNED16, channelCount: 1)
        let exact = device.bytes(of: values.map { Float($0) * 0x1p-15 })
        #expect(exact == PCMIntegers.bits16.bytes(of: values.map { Float($0) * 0x1p-15 }))
        // A quarter of a step: rounding without dither would lose it.
        let bytes = device.bytes(of: [Float](repeating: 0x1p-17, count: 40_000))
        let heard = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let mean = heard.reduce(0.0) { $0 + Double($1) } / 40_000
        #expect(abs(mean - 0.25) < 0.03)
        #expect(heard.allSatisfy { (-1...2).contains($0) })
    }

    @Test("a sample that is not a number becomes silence, and one that is too loud full scale")
    func noNumbers() {
        for sample in [WEIR_ALSA_SIGNED16, WEIR_ALSA_SIGNED24, WEIR_ALSA_SIGNED32] {
            var device = ALSASamples(sample, channelCount: 1)
            let bytes = device.bytes(of: [.nan, -.nan, .signalingNaN])
            #expect(bytes.allSatisfy { $0 == 0 })
        }
        #expect(PCMIntegers.integer16(.infinity) == .max)
        #expect(PCMIntegers.integer16(-.infinity) == .min)
        #expect(PCMIntegers.integer32(1) == .max)
        #expect(PCMIntegers.integer32(-2) == .min)
    }
}
#endif
