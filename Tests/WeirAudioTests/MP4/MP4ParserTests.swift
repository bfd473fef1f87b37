// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("The MP4 parser")
struct MP4ParserTests {
    private func parse(_ file: MP4File) -> ParserDriver.Outcome {
        self.parse(file.bytes)
    }

    private func parse(_ bytes: [UInt8], from start: Int = 0) -> ParserDriver.Outcome {
        ParserDriver.parse(
            bytes,
            from: start,
            with: MP4Parser(limits: AudioStreamLimits(), length: Int64(bytes.count))
        )
    }

    private func brief(_ outcome: ParserDriver.Outcome) -> [WeirPacket] {
        outcome.packets.map { WeirPacket(payload: $0.payload.array, start: Int($0.start.rawValue)) }
    }

    @Test("A file gives its packets wherever its index is", arguments: MP4File.Layout.allCases)
    func layouts(_ layout: MP4File.Layout) {
        for hasVideo in [false, true] {
            let file = MP4File(layout: layout, hasVideo: hasVideo)
            let outcome = self.parse(file)
            #expect(outcome.error == nil)
            #expect(file.matches(self.brief(outcome)))
            #expect(outcome.troubles.isEmpty)
            let format = outcome.formats.last
            #expect(format?.codec == .aac(objectType: 2))
            #expect(format?.sampleRate == 44_100)
            #expect(format?.channelCount == 2)
            #expect(format?.configuration == [0x12, 0x10])
            #expect(format?.duration == AudioDuration(8_192, .exact))
            #expect(format?.bitRate == AudioBitRate((380 * 8 * 44_100 + 4_096) / 8_192, .average))
        }
    }

    @Test("An index behind the audio is fetched first, and then the audio")
    func requests() {
        let file = MP4File(layout: .indexLast)
        let bytes = file.bytes
        let wanted = self.parse(bytes).events.compactMap { event -> Int64? in
            if case .wanted(let offset) = event { offset } else { nil }
        }
        let index = Int64(bytes.count - file.movie(dataAt: 28).count)
        #expect(wanted == [index, 28 + 11])
    }

    @Test("A reader that cannot seek gets an error: the index lies behind the audio")
    func forwardsOnly() {
        let bytes = MP4File(layout: .indexLast).bytes
        var parser = MP4Parser(limits: AudioStreamLimits(), length: nil)
        var window = ByteWindow()
        var error: AudioStreamError?
        var hasFormat = false
        do throws(AudioStreamError) {
            for byte in bytes + [0] {
                window.push(ByteMemory([byte]))
                while let event = try parser.next(&window) {
                    if case .format = event { hasFormat = true }
                }
            }
        } catch {
            #expect(error.code == .unreachable)
            #expect(error.reason.contains("lies earlier"))
            return
        }
        Issue.record("no error, format: \(hasFormat), \(String(describing: error))")
        error = nil
    }

    @Test(
        "A parser that joins anywhere gives the packets from its position on",
        arguments: MP4File.Layout.allCases
    )
    func joins(_ layout: MP4File.Layout) {
        let bytes = MP4File(layout: layout).bytes
        let whole = self.parse(bytes).packets
        for start in 0..<bytes.count {
            let packets = self.parse(bytes, from: start).packets
            let isTail = packets == Array(whole.suffix(packets.count))
            #expect(isTail, "at \(start)")
            if layout != .fragments {
                let isComplete = packets.count == whole.count { $0.offset >= start }
                #expect(isComplete, "at \(start)")
            } else if let first = packets.first {
                #expect(first.offset >= start)
            }
        }
    }

    @Test("A box with a long size, and a box that reaches to the end, are read like others")
    func sizes() {
        let file = MP4File(layout: .indexFirst)
        var bytes = file.bytes
        let data = bytes.count - 8 - file.payloads.joined().count - 3 * file.gap
        bytes.replaceSubrange(data..<data + 4, with: [0, 0, 0, 0])
        #expect(file.matches(self.brief(self.parse(bytes))))

        let extra =
            MP4Bytes.longBox("free", [1, 2, 3])
            + MP4Bytes.box("uuid", [UInt8](repeating: 0, count: 16))
        let shifted = MP4File(layout: .fragments)
        #expect(shifted.matches(self.brief(self.parse(extra + shifted.bytes))))

        let last = MP4File(layout: .indexLast)
        var open = last.bytes
        let index = open.count - last.movie(dataAt: 28).count
        open.replaceSubrange(index..<index + 4, with: [0, 0, 0, 0])
        #expect(last.matches(self.brief(self.parse(open))))
    }

    @Test("An edit list cuts the start, and shorter last samples the end")
    func edits() {
        var file = MP4File(layout: .indexFirst)
        file.edits = [[0, 1_024, 0x1_0000]]
        file.lastDuration = 24
        for layout in MP4File.Layout.allCases {
            file.layout = layout
            let outcome = self.parse(file)
            let packets = outcome.packets
            #expect(packets.first?.start == -1_024)
            #expect(packets.first?.trimStart == 1_024)
            #expect(packets.last?.duration == 1_024)
            #expect(packets.last?.trimEnd == 1_000)
            let heard = packets.map { ($0.duration - $0.trimStart - $0.trimEnd).rawValue }.reduce(
                0,
                +
            )
            #expect(heard == 6 * 1_024 + 24)
            let format = outcome.formats.last
            #expect(format?.duration == AudioDuration(SampleCount(heard), .exact))
            #expect(format?.trim == AudioTrim(leading: 1_024, trailing: 1_000))
        }
    }

    @Test("Empty time in front moves the audio")
    func emptyEdits() {
        var file = MP4File(layout: .indexFirst)
        file.edits = [[500, 0xFFFF_FFFF, 0x1_0000], [0, 1_000, 0x1_0000]]
        let outcome = self.parse(file)
        #expect(outcome.packets.first?.start == SampleCount(22_050 - 1_000))
        #expect(outcome.packets.first?.trimStart == 1_000)
        #expect(outcome.packets.count == 8)
        #expect(outcome.packets.last?.trimEnd == 0)
    }

    @Test(
        "The end of an edit cuts packets: exactly where units are samples, else only beyond rounding"
    )
    func editEnds() {
        var file = MP4File(layout: .indexFirst)
        file.movieScale = 44_100
        file.edits = [[5_000, 1_024, 0x1_0000]]
        var outcome = self.parse(file)
        #expect(outcome.packets.count == 6)
        #expect(outcome.packets.last?.trimEnd == 120)
        #expect(outcome.formats.last?.duration == AudioDuration(5_000, .exact))
        #expect(outcome.formats.last?.trim == AudioTrim(leading: 1_024, trailing: 120))

        file.movieScale = 1_000
        // The file holds 162.54 ms; 162 ms is equal within rounding.
        file.edits = [[162, 1_024, 0x1_0000]]
        outcome = self.parse(file)
        #expect(outcome.packets.count == 8)
        #expect(outcome.packets.last?.trimEnd == 0)
        file.edits = [[150, 1_024, 0x1_0000]]
        outcome = self.parse(file)
        #expect(outcome.formats.last?.duration == AudioDuration(6_615, .exact))
        let heard = outcome.packets.map { ($0.duration - $0.trimStart - $0.trimEnd).rawValue }
            .reduce(0, +)
        #expect(heard == 6_615)
    }

    @Test("The gap of iTunes applies where there is no edit list")
    func gaps() {
        let text = " 00000000 00000840 000001C0 0000000000001400"
        guard EncoderGap(text) != nil else { return }
        var file = MP4File(layout: .indexFirst)
        file.user = MP4TagTests.list(MP4TagTests.freeform("iTunSMPB", text))
        let outcome = self.parse(file)
        #expect(
            outcome.formats.last?.trim
                == AudioTrim(leading: 0x840, trailing: 8_192 - 0x840 - 0x1400)
        )
        #expect(outcome.formats.last?.duration == AudioDuration(0x1400, .exact))
        let heard = outcome.packets.map { ($0.duration - $0.trimStart - $0.trimEnd).rawValue }
            .reduce(0, +)
        #expect(heard == 0x1400)
    }

    @Test("Other time units are converted into samples")
    func scales() {
        var file = MP4File(layout: .indexFirst)
        file.scale = 88_200
        file.unitsPerSample = 2
        for layout in MP4File.Layout.allCases {
            file.layout = layout
            let outcome = self.parse(file)
            #expect(file.matches(self.brief(outcome)))
            #expect(outcome.packets.allSatisfy { $0.duration == 1_024 })
        }
        #expect(MP4TimeScale.rescale(-1, by: 1, over: 2) == 0)
        #expect(MP4TimeScale.rescale(-3, by: 1, over: 2) == -1)
        #expect(MP4TimeScale.rescale(.max, by: .max, over: 1) == .max)
        #expect(MP4TimeScale.rescale(.min, by: 3, over: 1) == .min)
    }

    @Test("Only the listed samples are independent")
    func syncs() {
        var file = MP4File(layout: .indexFirst)
        file.extraTables = MP4Bytes.table("stss", rows: [[1], [4], [8]])
        let flags = self.parse(file).packets.map(\.isIndependent)
        #expect(flags == [true, false, false, true, false, false, false, true])
    }

    @Test("Samples with a composition offset start later")
    func delays() {
        var file = MP4File(layout: .indexFirst)
        file.extraTables = MP4Bytes.table("ctts", rows: [[2, 10], [1, 0xFFFF_FFFF], [2, 0]])
        let starts = self.parse(file).packets.map(\.start.rawValue)
        #expect(starts == [10, 1_034, 2_047, 3_072, 4_096, 5_120, 6_144, 7_168])
    }

    @Test("Bytes between fragments are skipped and reported")
    func garbage() {
        let file = MP4File(layout: .fragments)
        let bytes = file.bytes
        let whole = self.parse(bytes)
        let starts = (4..<bytes.count - 4).filter {
            Array(bytes[$0..<$0 + 4]) == Array("moof".utf8)
        }.map { $0 - 4 }
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<100 {
            let junk = (0..<Int.random(in: 8...300, using: &generator)).map { _ in
                UInt8.random(in: 128...255, using: &generator)
            }
            // A size smaller than a box header makes sure that these bytes are garbage.
            let damaged =
                Array(bytes[..<starts[1]]) + [0, 0, 0, 3] + junk + Array(bytes[starts[1]...])
            let outcome = self.parse(damaged)
            #expect(
                firstDifference(outcome.packets.map(\.payload), whole.packets.map(\.payload)) == nil
            )
            #expect(outcome.troubles.map(\.kind) == [.garbage])
            let range = Int64(starts[1])..<Int64(starts[1] + 4 + junk.count)
            #expect(outcome.troubles.first?.range == range)
        }
    }

    @Test("A file without audio, with unknown audio or with encrypted audio gives an error")
    func refusals() {
        let unknown = self.parse(MP4File(entry: MP4File.soundEntry("ac-3")))
        #expect(unknown.error?.code == .unsupported)
        #expect(unknown.error?.reason.contains("AC-3") == true)
        let encrypted = self.parse(MP4File(entry: MP4File.soundEntry("enca")))
        #expect(encrypted.error?.code == .unsupported)
        #expect(encrypted.error?.reason.contains("encrypted") == true)
        let silent = self.parse(MP4Bytes.box("moov", []))
        #expect(silent.error?.code == .unsupported)
        let none = self.parse(MP4Bytes.box("ftyp", [1, 2, 3, 4]))
        #expect(none.error?.code == .ended)
        let cut = self.parse(MP4Bytes.box("mdat", [1, 2, 3, 4]))
        #expect(cut.error?.code == .ended)
        let early = self.parse(MP4Bytes.box("moof", []))
        #expect(early.error?.code == .malformed)
    }
}
