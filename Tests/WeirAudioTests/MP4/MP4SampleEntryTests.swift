// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("The sample descriptions of an MP4 file")
struct MP4SampleEntryTests {
    private func format(_ entry: [UInt8]) -> AudioFormat? {
        ParserDriver.parse(
            MP4File(entry: entry).bytes,
            with: MP4Parser(limits: AudioStreamLimits(), length: nil)
        ).formats.first
    }

    private func config(_ bytes: [UInt8]) -> MP4AudioSpecificConfig? {
        ByteMemory(bytes).withView { MP4AudioSpecificConfig($0) }
    }

    @Test("AAC gives its type, rate and channels")
    func aac() {
        let low = self.config([0x12, 0x10])
        #expect(low?.objectType == 2)
        #expect(low?.sampleRate == 44_100)
        #expect(low?.channelCount == 2)
        #expect(low?.samplesPerPacket == 1_024)
        // A frame length of 960 samples.
        #expect(self.config([0x12, 0x14])?.samplesPerPacket == 960)
        // Rate index 15: the rate follows in 24 bits, 7,000 Hz; one channel.
        let odd = self.config([0x17, 0x80, 0x0D, 0xAC, 0x08])
        #expect(odd?.sampleRate == 7_000)
        #expect(odd?.channelCount == 1)
        #expect(self.config([0x12]) == nil)
        // A reserved rate.
        #expect(self.config([0x16, 0x90]) == nil)
    }

    @Test("HE-AAC with explicit signalling gives the output rate")
    func highEfficiency() {
        // Object type 5: SBR, core 22,050 Hz stereo, output 44,100 Hz, core type 2.
        let bands = self.config([0x2B, 0x92, 0x08, 0x00])
        #expect(bands?.objectType == 5)
        #expect(bands?.coreRate == 22_050)
        #expect(bands?.sampleRate == 44_100)
        #expect(bands?.samplesPerPacket == 2_048)
        // Object type 29: PS makes two channels from one.
        let stereo = self.config([0xEB, 0x8A, 0x08, 0x00])
        #expect(stereo?.objectType == 29)
        #expect(stereo?.channelCount == 2)
        // An extension behind a core that old decoders read: 0x2B7, 5, 1, 44,100 Hz.
        let hidden = self.config([0x13, 0x90, 0x56, 0xE5, 0xA0])
        #expect(hidden?.objectType == 5)
        #expect(hidden?.sampleRate == 44_100)
        #expect(hidden?.saysExtension == true)
        // The same core; the extension says that there is no SBR.
        let none = self.config([0x13, 0x90, 0x56, 0xE5, 0x00])
        #expect(none?.objectType == 2)
        #expect(none?.saysExtension == true)
        let open = self.format(MP4File.soundEntry("mp4a", MP4File.esds([0x13, 0x90])))
        #expect(open?.mayDecodeToDoubleRate == true)
    }

    @Test("A program config element gives the number of channels")
    func programConfig() {
        // Type 2, 44,100 Hz, channels 0; then a front pair, a front single, a back pair and a low one.
        var bits = "00010" + "0100" + "0000" + "000"
        bits +=
            "0000" + "01" + "0100" + "0010" + "0000" + "0001" + "01" + "000" + "0000" + "0" + "0"
            + "0"
        bits += "0" + "0000" + "1" + "0000" + "1" + "0001" + "0000"
        while bits.count % 8 != 0 { bits += "0" }
        bits += "00000000"
        var bytes: [UInt8] = []
        var rest = Substring(bits)
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(8), radix: 2) ?? 0)
            rest = rest.dropFirst(8)
        }
        #expect(self.config(bytes)?.channelCount == 6)
    }

    @Test("Opus, FLAC, Apple Lossless and MPEG audio are configured from their boxes")
    func others() {
        let dOps = MP4Bytes.box("dOps", [0, 2, 0x01, 0x38, 0, 0, 0xBB, 0x80, 0xFF, 0x00, 0])
        let opus = self.format(MP4File.soundEntry("Opus", rate: 48_000, dOps))
        #expect(opus?.codec == .opus)
        #expect(
            opus?.configuration == Array("OpusHead".utf8) + [
                1, 2, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0x00, 0xFF, 0,
            ]
        )
        #expect(opus?.outputGain == -256)
        #expect(opus?.trim?.leading == 312)

        var info = MP4Bytes.u16(4_096) + MP4Bytes.u16(4_096) + [UInt8](repeating: 0, count: 6)
        info += [0x0B, 0xB8, 0x01, 0x70] + [UInt8](repeating: 0, count: 20)
        // 48,000 Hz, 1 channel, 24 bits.
        let dfLa = MP4Bytes.full("dfLa", [0x80, 0, 0, 34], info)
        let flac = self.format(MP4File.soundEntry("fLaC", dfLa))
        #expect(flac?.codec == .flac)
        #expect(flac?.configuration == info)
        #expect(flac?.sampleRate == 48_000)
        #expect(flac?.bitsPerSample == 24)
        #expect(flac?.samplesPerPacket == 4_096)

        var cookie = MP4Bytes.u32(4_096) + [0, 24, 40, 10, 14, 2] + MP4Bytes.u16(255)
        cookie += MP4Bytes.u32(0) + MP4Bytes.u32(0) + MP4Bytes.u32(96_000)
        let lossless = self.format(MP4File.soundEntry("alac", MP4Bytes.full("alac", cookie)))
        #expect(lossless?.codec == .alac)
        #expect(lossless?.configuration == cookie)
        #expect(lossless?.bitsPerSample == 24)
        #expect(lossless?.sampleRate == 96_000)

        let mpeg = self.format(MP4File.soundEntry("mp4a", MP4File.esds([], objectType: 0x6B)))
        #expect(mpeg?.codec == .mpegLayer(3))
        #expect(mpeg?.samplesPerPacket == 1_152)
    }

    @Test("Uncompressed samples come in packets of 1,024 within a chunk")
    func uncompressed() {
        let count = 2_500
        var movie: [UInt8] = []
        for start in [0, 1] {
            let dataStart = start == 0 ? 0 : movie.count + 8
            let tables = MP4Bytes.box(
                "stbl",
                MP4Bytes.full("stsd", MP4Bytes.u32(1), MP4File.soundEntry("sowt")),
                MP4Bytes.table("stts", rows: [[count, 1]]),
                MP4Bytes.table("stsc", rows: [[1, 2_000, 1], [2, 500, 1]]),
                MP4Bytes.full("stsz", MP4Bytes.u32(4), MP4Bytes.u32(count)),
                MP4Bytes.full(
                    "co64",
                    MP4Bytes.u32(2),
                    MP4Bytes.u64(dataStart),
                    MP4Bytes.u64(dataStart + 8_010)
                )
            )
            let track = MP4Bytes.box(
                "trak",
                MP4Bytes.full("tkhd", flags: 1, [0, 0, 1, 0].flatMap { MP4Bytes.u32($0) }),
                MP4Bytes.box(
                    "mdia",
                    MP4Bytes.full("mdhd", [0, 0, 44_100, 0, 0].flatMap { MP4Bytes.u32($0) }),
                    MP4Bytes.full("hdlr", MP4Bytes.u32(0), Array("soun".utf8)),
                    MP4Bytes.box("minf", tables)
                )
            )
            movie = MP4Bytes.box("moov", track)
        }
        let bytes = movie + MP4Bytes.box("mdat", [UInt8](repeating: 3, count: 10_010))
        let parser = MP4Parser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        let outcome = ParserDriver.parse(bytes, with: parser)
        #expect(outcome.packets.map(\.duration.rawValue) == [1_024, 976, 500])
        #expect(outcome.packets.map(\.start.rawValue) == [0, 1_024, 2_000])
        #expect(outcome.packets.map(\.payload.count) == [4_096, 3_904, 2_000])
        #expect(
            outcome.formats.first?.codec
                == .pcm(PCMLayout(encoding: .signedInteger, bitsPerSample: 16))
        )
        let joined = ParserDriver.parse(bytes, from: movie.count + 9, with: parser)
        let isTail = joined.packets == Array(outcome.packets.dropFirst())
        #expect(isTail)
    }
}
