// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Formats that Weir does not read")
struct ForeignFormatTests {
    private static let mpeg = [[UInt8]](
        repeating: [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0x55, count: 413),
        count: 60
    ).flatMap { $0 }

    /// The first bytes of files from ffmpeg and other programs.
    static let signatures: [(bytes: [UInt8], name: String)] = [
        (TagBytes.ascii("FORM\0\u{4}\0\0AIFFCOMM"), "AIFF"),
        (TagBytes.ascii("FORM\0\u{4}\0\0AIFCFVER"), "AIFF-C"),
        (TagBytes.ascii("caff\0\u{1}\0\0desc"), "Core Audio Format"),
        ([0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x86, 0x81], "Matroska or WebM"),
        (
            TagBytes.ascii("riff") + [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB],
            "Sony Wave64 (W64)"
        ),
        (TagBytes.ascii(".snd\0\0\0\u{20}"), "an AU file (Sun, NeXT)"),
        (TagBytes.ascii("FRM8\0\0\0\0\0\u{9}\0\0DSD FVER"), "DSD in a DSDIFF file (DFF)"),
        (TagBytes.ascii("DSD \u{1C}\0\0\0\0\0\0\0"), "DSD in a DSF file"),
        (TagBytes.ascii("tBaK\u{1}\u{6}\0\0"), "TAK"),
        (TagBytes.ascii("ADIF\0\0\0\0"), "AAC in an ADIF file"),
        (TagBytes.ascii("wvpk\u{20}\0\0\0"), "WavPack"),
        (TagBytes.ascii("MAC \u{96}\u{F}"), "Monkey's Audio"),
        (TagBytes.ascii("Creative Voice File\u{1A}"), "Creative Voice (VOC)"),
        (TagBytes.ascii("CWS\u{6}\0\0\0\0"), "Flash"),
        ([0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01], "MXF"),
        ([0x00, 0x00, 0x01, 0xBA, 0x44, 0x00, 0x04, 0x00], "an MPEG program stream"),
        ([0x7F, 0xFE, 0x80, 0x01, 0xFC, 0x3C, 0x7F, 0xFF], "DTS"),
        ([0xFF, 0xD8, 0xFF, 0xE0], "a JPEG picture"),
    ]

    private func refusal(_ bytes: [UInt8], _ hint: AudioTypeHint = AudioTypeHint()) -> String? {
        var parser = AudioStreamParser(hint: hint, length: Int64(bytes.count))
        parser.push(ByteMemory(bytes))
        parser.finish()
        do throws(AudioStreamError) {
            while let event = try parser.next() {
                if case .packet = event { return "a packet" }
            }
            return nil
        } catch {
            return error.code == .unsupported ? error.reason : "\(error)"
        }
    }

    private func sentence(_ name: String) -> String {
        "This is \(name), which Weir cannot parse; use a player that supports it"
    }

    @Test(
        "A signature at the start overrides the media type, the extension and MPEG frames after it",
        arguments: signatures.indices
    )
    func signature(_ index: Int) {
        let (bytes, name) = Self.signatures[index]
        let file = bytes + [UInt8](repeating: 0, count: 200) + Self.mpeg
        for hint in [
            AudioTypeHint(), AudioTypeHint(mediaType: "audio/mpeg"),
            AudioTypeHint(fileExtension: "wav"), AudioTypeHint(fileExtension: "m4a"),
        ] {
            #expect(self.refusal(file, hint) == self.sentence(name))
            // The signature also counts behind a tag.
            let tag = TagBytes.id3v2(3, [TagBytes.frame(3, "TIT2", [0, 0x41])], padding: 30)
            #expect(self.refusal(tag + file, hint) == self.sentence(name))
        }
        let guess = AudioTypeGuess.guess(ByteMemory(file), isWhole: false)
        #expect(guess == .unknown)
    }

    @Test("Quiet samples behind the header of AIFF are not taken for frames")
    func quiet() {
        var random = SeededGenerator(seed: 3)
        let samples = (0..<60_000).flatMap { _ -> [UInt8] in
            let sample = UInt16(bitPattern: Int16.random(in: -10...10, using: &random))
            return [UInt8(sample >> 8), UInt8(truncatingIfNeeded: sample)]
        }
        let header = TagBytes.ascii("FORM\0\u{2}\0\0AIFFCOMM\0\0\0\u{12}")
        #expect(self.refusal(header + samples) == self.sentence("AIFF"))
        // Without the header the samples have no known format.
        #expect(AudioTypeGuess.guess(ByteMemory(samples), isWhole: true) == .unknown)
    }

    @Test("Sync bytes at a fixed distance identify a transport stream", arguments: [0, 4, 16])
    func transport(_ extra: Int) {
        let packet: [UInt8] = [0x47] + [UInt8](repeating: 0x11, count: 187)
        let more = [UInt8](repeating: 1, count: extra)
        let stream = (0..<20).flatMap { _ in extra == 4 ? more + packet : packet + more }
        let name = self.sentence("an MPEG transport stream")
        #expect(self.refusal(stream + Self.mpeg) == name)
        #expect(self.refusal(stream, AudioTypeHint(fileExtension: "m4a")) == name)
        // A single matching byte is chance.
        #expect(self.refusal([0x47] + Self.mpeg) == "a packet")
    }

    @Test("Three frames identify AC-3 and E-AC-3")
    func dolby() {
        let ac3: [UInt8] = [0x0B, 0x77, 1, 2, 0x14, 0x40] + [UInt8](repeating: 0x55, count: 762)
        let eac3: [UInt8] =
            [0x0B, 0x77, 0x00, 0xBF, 0x3F, 0x84] + [UInt8](repeating: 0x55, count: 378)
        #expect(self.refusal(ac3 + ac3 + ac3 + Self.mpeg) == self.sentence("AC-3"))
        #expect(self.refusal(eac3 + eac3 + eac3 + Self.mpeg) == self.sentence("E-AC-3"))
        #expect(self.refusal([0x0B, 0x77, 1, 2, 0x14, 0x40] + Self.mpeg) == "a packet")
    }

    @Test("Text that begins like a signature stays text")
    func text() {
        let page = TagBytes.ascii("FWS is a company that makes FILM and other things.\n")
        #expect(AudioTypeGuess.guess(ByteMemory(page), isWhole: true) == .page(.text))
        #expect(self.refusal([]) != nil)
    }
}
