// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirAudio

@Suite("MP4 that cannot be played")
struct MP4RefusalTests {
    private func reason(_ entry: [UInt8]) -> String? {
        var file = MP4File()
        file.entry = entry
        var parser = AudioStreamParser(length: Int64(file.bytes.count))
        parser.push(ByteMemory(file.bytes))
        parser.finish()
        do throws(AudioStreamError) {
            while try parser.next() != nil {}
            return nil
        } catch {
            return error.code == .unsupported ? error.reason : "\(error)"
        }
    }

    @Test(
        "The error names the codec of the sample entry",
        arguments: [
            ("ac-3", "AC-3"), ("ec-3", "E-AC-3"), ("ima4", "IMA ADPCM"), ("agsm", "GSM"),
            ("samr", "AMR"), ("ms\0\u{2}", "Microsoft ADPCM"), ("drms", "FairPlay"),
            ("enca", "encrypted"), ("xyzw", "'xyzw'"),
        ]
    )
    func entries(_ type: String, _ name: String) {
        #expect(self.reason(MP4File.soundEntry(type))?.contains(name) == true)
    }

    @Test(
        "The error names a codec that only the MPEG-4 object type shows",
        arguments: [(0xA9, "DTS"), (0xDD, "Vorbis"), (0xA5, "AC-3"), (0xE7, "0xe7")]
            as [(UInt8, String)]
    )
    func objects(_ type: UInt8, _ name: String) {
        let entry = MP4File.soundEntry("mp4a", MP4File.esds([0x12, 0x10], objectType: type))
        #expect(self.reason(entry)?.contains(name) == true)
    }

    @Test("Bytes without an MP4 box are refused, and no box is searched behind the end of the file")
    func noBoxes() {
        let fronts: [[UInt8]] = [
            [UInt8](repeating: 0, count: 100), [0x70, 1, 2, 3, 0xF0, 0xF1, 0xF2, 0xF3],
            [0x70, 1, 2, 3] + Array("wxyz".utf8), [0, 0, 0, 3] + Array("free".utf8),
        ]
        for front in fronts {
            let bytes = front + MP4File().bytes
            let outcome = ParserDriver.parse(
                bytes,
                with: MP4Parser(limits: AudioStreamLimits(), length: Int64(bytes.count))
            )
            #expect(outcome.error?.code == .malformed, "\(front.prefix(8))")
            #expect(outcome.error?.reason.contains("There is no MP4 box") == true)
            let wanted = outcome.events.contains { if case .wanted = $0 { true } else { false } }
            #expect(!wanted)
        }
    }
}
