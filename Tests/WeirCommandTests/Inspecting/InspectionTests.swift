// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio

@testable import WeirCommand

@Suite("The output of weir inspect")
struct InspectionTests {
    private func inspection() -> Inspection {
        var inspection = Inspection(name: "song.opus", bytes: 1000, mediaType: "audio/ogg")
        inspection.container = AudioContainer.ogg.rawValue
        inspection.isComplete = true
        var format = AudioFormat(container: .ogg, codec: .opus, sampleRate: 48_000, channelCount: 2)
        format.duration = AudioDuration(1568, .exact)
        format.trim = AudioTrim(leading: 312, trailing: 40)
        inspection.add(.format(format))
        return inspection
    }

    private func packet(_ start: Int64, trimStart: Int64 = 0, trimEnd: Int64 = 0) -> AudioPacket {
        var packet = AudioPacket(
            payload: ByteMemory([1, 2, 3]),
            offset: 100,
            start: SampleCount(start),
            duration: 960
        )
        packet.trimStart = SampleCount(trimStart)
        packet.trimEnd = SampleCount(trimEnd)
        return packet
    }

    @Test("A packet's line has its offset, its times and the MD5 of its bytes")
    func packetLine() throws {
        var inspection = self.inspection()
        let line = inspection.add(self.packet(-312, trimStart: 312))
        let text = try Output.jsonLine(line.json)
        #expect(
            text == """
                {"bytes":3,"duration":960,"event":"packet","index":0,"isIndependent":true,\
                "md5":"5289df737df57326fcdd22597afb1fac","offset":100,"sampleRate":48000,"section":0,"time":-312,\
                "trimStart":312}
                """
        )
    }

    @Test(
        "A packet that the container cuts has a cut line, and its decoded samples are counted whole"
    )
    func lastPacket() {
        var inspection = self.inspection()
        _ = inspection.add(self.packet(-312, trimStart: 312))
        let line = inspection.add(self.packet(648, trimEnd: 40))
        #expect(line.duration == 920 && line.trimEnd == 40)
        #expect(inspection.packets.samples == 1920)
        #expect(inspection.packets.heardSamples == 1568)
        inspection.container = AudioContainer.mpegAudio.rawValue
        #expect(inspection.add(self.packet(1608, trimEnd: 40)).duration == 960)
    }

    @Test("The text for people has one fact a line")
    func text() {
        var inspection = self.inspection()
        _ = inspection.add(self.packet(0))
        var tags = AudioTags(kind: .vorbisComment, range: 10..<50)
        tags.fields = [AudioTagField("title", ["A\u{1B}[31m song\nwith a second line"])]
        inspection.add(.tags(tags))
        inspection.add(.trouble(AudioStreamFailure(.garbage, 60..<80)))
        let lines = inspection.text.split(separator: "\n")
        #expect(lines.first == "song.opus")
        #expect(lines.contains("  format     opus, 48000 Hz, 2 channels"))
        #expect(lines.contains("  duration   0:00.033, 1568 samples, exact"))
        #expect(lines.contains("  trim       312 samples at the start, 40 at the end"))
        // The text of a tag cannot move the cursor or begin a new line.
        #expect(lines.contains("    title  A?[31m song with a second line"))
        #expect(lines.contains("    at byte 60, 20 long: bytes that belong to no packet"))
    }

    @Test(
        "Times are minutes, seconds and thousandths",
        arguments: [
            (0.0, "0:00.000"), (59.9996, "1:00.000"), (61.5, "1:01.500"), (3661.25, "1:01:01.250"),
            (-0.0065, "-0:00.007"),
        ]
    )
    func times(_ seconds: Double, _ text: String) {
        #expect(Inspection.time(seconds) == text)
    }

    @Test("A later format of a section replaces the earlier one")
    func formats() {
        var inspection = self.inspection()
        var format = AudioFormat(container: .ogg, codec: .opus, sampleRate: 48_000, channelCount: 2)
        inspection.add(.format(format))
        format.section = 1
        inspection.add(.format(format))
        #expect(inspection.formats.map(\.section) == [0, 1])
    }

    @Test(
        "A bit rate has one decimal at most",
        arguments: [(64.0, "64"), (1411.2, "1411.2"), (127.96, "128"), (0.04, "0"), (8.25, "8.2")]
    )
    func decimals(_ number: Double, _ text: String) {
        #expect(Inspection.decimal(number) == text)
    }
}
