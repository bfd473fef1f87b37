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
        "A codec is called by its name",
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
        "So is one that only an object type of MPEG-4 tells",
        arguments: [(0xA9, "DTS"), (0xDD, "Vorbis"), (0xA5, "AC-3"), (0xE7, "0xe7")]
            as [(UInt8, String)]
    )
    func objects(_ type: UInt8, _ name: String) {
        let entry = MP4File.soundEntry("mp4a", MP4File.esds([0x12, 0x10], objectType: type))
        #expect(self.reason(entry)?.contains(name) == true)
    }

    @Test("Bytes that are no MP4 are told as such, and not looked for behind the end of the file")
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
            #expect(outcome.error?.reason.contains("No box of an MP4 file") == true)
            let wanted = outcome.events.contains { if case .wanted = $0 { true } else { false } }
            #expect(!wanted)
        }
    }
}
