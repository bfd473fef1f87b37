// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("The header of a FLAC frame")
struct FLACFrameHeaderTests {
    private func read(_ bytes: [UInt8], info: FLACStreamInfo? = nil) -> Reading<FLACFrameHeader> {
        ByteMemory(bytes).withView { FLACFrameHeader.read($0, info: info) }
    }

    private func header(_ bytes: [UInt8], info: FLACStreamInfo? = nil) -> FLACFrameHeader? {
        if case .found(let header) = self.read(bytes, info: info) { header } else { nil }
    }

    private func isInvalid(_ bytes: [UInt8]) -> Bool {
        if case .none = self.read(bytes) { true } else { false }
    }

    @Test("Block sizes come from their code, or from the bytes behind the number")
    func blockSizes() {
        let sizes = [
            192, 576, 1152, 2304, 4608, 256, 257, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768,
        ]
        for (index, size) in sizes.enumerated() {
            let code = UInt64(index + 1)
            let extra: [UInt8] = code == 6 ? [255] : code == 7 ? [1, 0] : []
            #expect(
                self.header(FLACBuilder.header(block: code, blockBytes: extra))?.blockSize == size
            )
        }
        #expect(self.isInvalid(FLACBuilder.header(block: 0, blockBytes: [])))
        #expect(self.isInvalid(FLACBuilder.header(block: 7, blockBytes: [255, 255])))
        #expect(
            self.header(FLACBuilder.header(block: 7, blockBytes: [255, 254]))?.blockSize == 65_535
        )
    }

    @Test("Sample rates come from their code, or from the bytes behind the number")
    func sampleRates() {
        let rates = [
            88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
            255_000, 12_345,
            655_350,
        ]
        let extra: [Int: [UInt8]] = [12: [255], 13: [0x30, 0x39], 14: [255, 255]]
        for (index, rate) in rates.enumerated() {
            let bytes = FLACBuilder.header(
                rate: UInt64(index + 1),
                rateBytes: extra[index + 1] ?? []
            )
            #expect(self.header(bytes)?.sampleRate == rate)
        }
        #expect(self.isInvalid(FLACBuilder.header(rate: 15)))
        #expect(self.isInvalid(FLACBuilder.header(rate: 13, rateBytes: [0, 0])))
    }

    @Test(
        "A value that the header leaves to STREAMINFO comes from there, and is unknown without it"
    )
    func leftToStreamInfo() {
        let bytes = FLACBuilder.header(rate: 0, bits: 0)
        let info = ByteMemory(FLACBuilder(sampleRate: 12_345, bits: 19).info).withView {
            FLACStreamInfo($0)
        }
        #expect(self.header(bytes)?.sampleRate == nil)
        #expect(self.header(bytes)?.bitsPerSample == nil)
        #expect(self.header(bytes, info: info)?.sampleRate == 12_345)
        #expect(self.header(bytes, info: info)?.bitsPerSample == 19)
    }

    @Test("Channels and bits come from their codes, and reserved codes make the header invalid")
    func channelsAndBits() {
        for code in 0..<16 {
            let header = self.header(FLACBuilder.header(channels: UInt64(code)))
            #expect(header?.channelCount == (code < 8 ? code + 1 : code < 11 ? 2 : nil))
        }
        #expect(self.header(FLACBuilder.header(channels: 8))?.sideChannel == 1)
        #expect(self.header(FLACBuilder.header(channels: 9))?.sideChannel == 0)
        #expect(self.header(FLACBuilder.header(channels: 10))?.sideChannel == 1)
        for (code, bits) in [1: 8, 2: 12, 4: 16, 5: 20, 6: 24, 7: 32] {
            #expect(self.header(FLACBuilder.header(bits: UInt64(code)))?.bitsPerSample == bits)
        }
        #expect(self.isInvalid(FLACBuilder.header(bits: 3)))
        #expect(self.isInvalid(FLACBuilder.header(reserved: 1)))
    }

    @Test("Numbers take one to six bytes, and seven where they count samples")
    func numbers() {
        for shift in 0..<36 {
            for number in [UInt64(1) << UInt64(shift), (UInt64(1) << UInt64(shift + 1)) - 1] {
                let coded = FLACBuilder.coded(number)
                #expect(
                    self.header(FLACBuilder.header(variable: true, number: coded))?.number == number
                )
                let fixed = self.header(FLACBuilder.header(number: coded))
                #expect(fixed?.number == (number < 1 << 31 ? number : nil))
            }
        }
        #expect(self.isInvalid(FLACBuilder.header(number: [0x80])))
        #expect(
            self.isInvalid(
                FLACBuilder.header(number: [0xFF, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80])
            )
        )
        #expect(self.isInvalid(FLACBuilder.header(number: [0xC3, 0x41])))
    }

    @Test(
        "A header that is cut anywhere needs more bytes, and a header with a changed bit is refused"
    )
    func partsAndBits() {
        let bytes = FLACBuilder.header(
            rate: 13,
            number: FLACBuilder.coded(70_000),
            rateBytes: [0x30, 0x39]
        )
        for count in 0..<bytes.count {
            guard case .needsMore = self.read(Array(bytes[..<count])) else {
                Issue.record("\(count) bytes are enough")
                continue
            }
        }
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(self.header(changed) == nil)
        }
    }

    @Test("STREAMINFO gives all of its fields, and nothing impossible")
    func streamInfo() {
        var builder = FLACBuilder(sampleRate: 655_350, channels: 8, bits: 32, blockSize: 4096)
        builder.total = 0xF_FFFF_FFFF
        let info = ByteMemory(builder.info).withView { FLACStreamInfo($0) }
        #expect(info?.sampleRate == 655_350)
        #expect(info?.channelCount == 8)
        #expect(info?.bitsPerSample == 32)
        #expect(info?.totalSamples == 0xF_FFFF_FFFF)
        #expect(info?.isFixedBlockSize == true)
        #expect(info?.maximumFrameSize == nil)
        #expect(info?.bytes == builder.info)
        #expect(ByteMemory(FLACBuilder(sampleRate: 0).info).withView { FLACStreamInfo($0) } == nil)
        #expect(ByteMemory(Array(builder.info.dropLast())).withView { FLACStreamInfo($0) } == nil)
    }
}
