// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("The times of MP4 samples")
struct MP4TimingTests {
    private func parse(_ bytes: [UInt8], chunk: Int = 1 << 20) -> ParserDriver.Outcome {
        ParserDriver.parse(
            bytes,
            sizes: { chunk },
            with: MP4Parser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        )
    }

    private func heard(_ packets: [AudioPacket]) -> [Int64] {
        packets.map { ($0.duration - $0.trimStart - $0.trimEnd).rawValue }
    }

    @Test("A packet in mid-stream with a duration below its decoded length is heard whole")
    func shortTimes() {
        var file = MP4File()
        file.edits = [[0, 1_024, 0x1_0000]]
        file.lastDuration = 24
        file.otherDurations = [1: 973, 2: 0, 4: 500]
        for layout in MP4File.Layout.allCases {
            file.layout = layout
            let packets = self.parse(file.bytes).packets
            #expect(self.heard(packets) == [0, 1_024, 1_024, 1_024, 1_024, 1_024, 1_024, 24])
            // The start times still come from the tables.
            #expect(
                packets.map(\.start.rawValue) == [-1_024, 0, 973, 973, 1_997, 2_497, 3_521, 4_545]
            )
        }
    }

    @Test(
        "A short last packet is heard whole, although the edit's duration is rounded to milliseconds"
    )
    func rounding() {
        var file = MP4File()
        file.layout = .indexFirst
        for last in [1, 5, 22, 40, 300] {
            file.lastDuration = last
            // The edit's duration in milliseconds, rounded down and up; ffmpeg rounds it, too.
            let exact = (6 * 1_024 + last) * 1_000
            for milliseconds in [exact / 44_100, exact / 44_100 + 1] {
                file.edits = [[milliseconds, 1_024, 0x1_0000]]
                let heard = self.heard(self.parse(file.bytes).packets).reduce(0, +)
                #expect(heard == 6 * 1_024 + Int64(last), "\(last), \(milliseconds) ms")
            }
            file.edits = [[exact / 44_100 - 1, 1_024, 0x1_0000]]
            let cut = self.heard(self.parse(file.bytes).packets).reduce(0, +)
            #expect(cut < 6 * 1_024 + Int64(last))
        }
    }

    @Test("Where all packets have a short duration, only the last one is cut")
    func shortClock() {
        var file = MP4File()
        file.otherDurations = Dictionary(uniqueKeysWithValues: file.sizes.indices.map { ($0, 973) })
        for layout in MP4File.Layout.allCases {
            file.layout = layout
            for chunk in [1, 7, 1 << 20] {
                let packets = self.parse(file.bytes, chunk: chunk).packets
                #expect(self.heard(packets) == Array(repeating: 1_024, count: 7) + [973])
            }
        }
    }

    // MARK: Encoder delay and padding

    /// AAC at 22,050 Hz with SBR at 44,100 Hz, in an explicit description.
    private static let highEfficiency = MP4File.soundEntry(
        "mp4a",
        MP4File.esds([0x2B, 0x92, 0x08, 0x00])
    )

    private func tagged(_ delay: Int, _ count: Int, _ padding: Int) -> MP4File {
        func hex(_ number: Int, _ width: Int) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: width - digits.utf8.count) + digits
        }
        let text = " 00000000 \(hex(delay, 8)) \(hex(padding, 8)) \(hex(count, 16))"
        var file = MP4File()
        file.user = MP4TagTests.list(MP4TagTests.freeform("iTunSMPB", text))
        return file
    }

    @Test(
        "For HE-AAC, the sum of iTunSMPB's numbers shows whether they count core or output samples",
        arguments: [1, 2]
    )
    func coreRate(_ factor: Int) throws {
        var file = self.tagged(2_112 * factor, 5_000 * factor, 1_080 * factor)
        file.entry = Self.highEfficiency
        file.scale = 22_050
        let outcome = self.parse(file.bytes)
        let format = try #require(outcome.formats.last)
        #expect(format.sampleRate == 44_100)
        #expect(format.duration == AudioDuration(10_000, .exact))
        #expect(format.trim == AudioTrim(leading: 4_224, trailing: 2_160))
        #expect(self.heard(outcome.packets).reduce(0, +) == 10_000)
    }

    @Test("FAAC adds an unlisted packet in front, and any listed trim takes precedence")
    func priming() {
        var file = MP4File()
        file.user = MP4TagTests.list(MP4TagTests.text("\u{A9}too", "FAAC 1.30"))
        #expect(self.parse(file.bytes).formats.last?.trim == AudioTrim(leading: 1_024, trailing: 0))
        file.edits = [[0, 2_112, 0x1_0000]]
        #expect(self.parse(file.bytes).formats.last?.trim == AudioTrim(leading: 2_112, trailing: 0))
        file.edits = []
        file.user = MP4TagTests.list(MP4TagTests.text("\u{A9}too", "Lavf59"))
        #expect(self.parse(file.bytes).formats.last?.trim == nil)
    }

    @Test("With implicit SBR, iTunSMPB's numbers are halved if they count output samples")
    func implicit() throws {
        var file = self.tagged(4_224, 10_000, 2_160)
        // LC at 22,050 Hz.
        file.entry = MP4File.soundEntry("mp4a", rate: 22_050, MP4File.esds([0x13, 0x90]))
        file.scale = 22_050
        let outcome = self.parse(file.bytes)
        let format = try #require(outcome.formats.last)
        #expect(format.mayDecodeToDoubleRate)
        #expect(format.trim == AudioTrim(leading: 2_112, trailing: 1_080))
        #expect(self.heard(outcome.packets).reduce(0, +) == 5_000)
    }
}
