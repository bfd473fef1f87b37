// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirLive

/// Recordings of frames: the station's bytes, cut at packets.
@Suite struct RecordingFrameTests {
    private static let size = NumberedFrames.size

    private static func concatenated(_ files: [RecordingTape.Recorded]) -> [UInt8] {
        files.flatMap { $0.bytes }
    }

    @Test(
        "A file begins with the packet that its title belongs to, wherever in the packet the title came"
    )
    func everyOffset() {
        let stream = NumberedFrames.frames(0..<12)
        for offset in stride(from: Self.size * 5, through: Self.size * 7, by: 1) {
            var tape = RecordingTape()
            tape.connect(container: .mpegAudio, title: "A - a")
            tape.play(Array(stream[..<offset]))
            tape.title("B - b")
            tape.play(Array(stream[offset...]))
            let files = tape.recorded()
            #expect(files.count == 2)
            let cut = offset / Self.size
            #expect(files.first.flatMap { NumberedFrames.numbers($0.bytes) } == Array(0..<cut))
            #expect(files.last.flatMap { NumberedFrames.numbers($0.bytes) } == Array(cut..<12))
            #expect(files.map(\.file.title) == ["A - a", "B - b"])
            #expect(files.map(\.file.number) == [1, 2])
            #expect(files.allSatisfy { $0.isWhole && $0.file.fileExtension == "mp3" })
        }
    }

    @Test(
        "The sizes of the received pieces change nothing",
        arguments: Array(1...40) + [143, 144, 145, 288, 10_000]
    )
    func everyChunk(chunk: Int) {
        let stream = NumberedFrames.frames(0..<60)
        var tape = RecordingTape(chunk: chunk, startingAt: 77)
        // The recording begins in the middle of a frame and ends in one.
        tape.connect(type: "audio/mpeg", title: "A")
        tape.play(Array(stream[50..<3000]))
        tape.title("B")
        tape.title("C")
        tape.play(Array(stream[3000..<5001]))
        tape.title("C")
        tape.play(Array(stream[5001..<6000]))
        tape.title("")
        tape.play(Array(stream[6000..<8600]))
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "C", nil])
        #expect(files.map(\.file.number) == [1, 2, 3])
        let numbers = NumberedFrames.numbers(Self.concatenated(files))
        #expect(numbers == Array(1..<59))
        #expect(files.last.flatMap { NumberedFrames.numbers($0.bytes)?.first } == 41)
    }

    @Test("Bytes between packets stay at their place")
    func garbage() {
        let junk = [UInt8](repeating: 0x55, count: 500)
        let stream = NumberedFrames.frames(0..<10) + junk + NumberedFrames.frames(10..<20)
        var tape = RecordingTape(chunk: 99)
        tape.connect(container: .mpegAudio)
        tape.play(junk + stream)
        let files = tape.recorded()
        let isSame = Self.concatenated(files) == stream
        #expect(isSame)
    }

    @Test("The first title names the sound that came before it")
    func firstTitle() {
        for chunk in [1, 100, 144, 5000] {
            var tape = RecordingTape(chunk: chunk)
            tape.connect(container: .mpegAudio, interval: 2000)
            let stream = NumberedFrames.frames(0..<60)
            tape.play(Array(stream[..<2000]))
            tape.title("A")
            tape.play(Array(stream[2000..<4000]))
            tape.title("B")
            tape.play(Array(stream[4000...]))
            let files = tape.recorded()
            #expect(files.map(\.file.title) == ["A", "B"])
            #expect(NumberedFrames.numbers(Self.concatenated(files)) == Array(0..<60))
        }
    }

    @Test("The file of a server that announces titles and sends none has no title")
    func noTitle() {
        var tape = RecordingTape()
        tape.connect(container: .mpegAudio, interval: 2000)
        tape.play(NumberedFrames.frames(0..<60))
        let files = tape.recorded()
        #expect(files.map(\.file.title) == [nil])
        #expect(NumberedFrames.numbers(Self.concatenated(files)) == Array(0..<60))
        // The connection sends fewer bytes than its metadata interval.
        tape = RecordingTape()
        tape.connect(container: .mpegAudio, interval: 60_000)
        tape.play(NumberedFrames.frames(0..<60))
        #expect(NumberedFrames.numbers(Self.concatenated(tape.recorded())) == Array(0..<60))
    }

    @Test(
        "A new connection continues the file if the title is the same, and else begins another",
        arguments: [1, 100, 5000]
    )
    func reconnect(chunk: Int) {
        let stream = NumberedFrames.frames(0..<90)
        var tape = RecordingTape(chunk: chunk)
        tape.connect(container: .mpegAudio, interval: 1000)
        tape.play(Array(stream[..<1000]))
        tape.title("A")
        tape.play(Array(stream[1000..<4390]))
        // The old connection ends in the middle of frame 30; the new one begins in the middle of frame 40.
        tape.connect(.reconnected(nil), container: .mpegAudio, interval: 1000)
        tape.play(Array(stream[5800..<6800]))
        tape.title("A")
        tape.play(Array(stream[6800..<8700]))
        tape.connect(.reconnected(nil), container: .mpegAudio, interval: 1000)
        tape.play(Array(stream[8700..<9700]))
        tape.title("B")
        tape.play(Array(stream[9700..<11_000]))
        // A connection without titles continues the file.
        tape.connect(.reconnected(nil), container: .mpegAudio)
        tape.play(Array(stream[11_000...]))
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "B"])
        let first = files.first.flatMap { NumberedFrames.numbers($0.bytes) }
        #expect(first == Array(0..<30) + Array(41..<60))
        let second = files.last.flatMap { NumberedFrames.numbers($0.bytes) }
        #expect(second == Array(61..<76) + Array(77..<90))
    }

    @Test("Another format begins another file")
    func formatChange() {
        var tape = RecordingTape()
        tape.connect(container: .mpegAudio, title: "A")
        tape.play(NumberedFrames.frames(0..<20))
        tape.connect(.reconnected(nil), container: .adts, title: "A")
        tape.play(TinyADTS.frames(0..<20))
        let files = tape.recorded()
        #expect(files.map(\.file.fileExtension) == ["mp3", "aac"])
        #expect(files.last?.bytes == TinyADTS.frames(0..<20))
    }

    @Test("ADTS is cut at its frames", arguments: [1, 13, 100, 3000])
    func adts(chunk: Int) {
        let stream = TinyADTS.frames(0..<40)
        var tape = RecordingTape(chunk: chunk)
        tape.connect(type: "audio/aacp", title: "A")
        tape.play(Array(stream[20..<1550]))
        tape.title("B")
        tape.play(Array(stream[1550..<3990]))
        let files = tape.recorded()
        #expect(files.map(\.bytes) == [Array(stream[100..<1500]), Array(stream[1500..<3900])])
    }

    @Test("Every file of native FLAC begins with its header", arguments: [1, 10, 77, 5000])
    func flac(chunk: Int) {
        let head = TinyFLAC.head
        let frames = (0..<40).map { TinyFLAC.frame($0) }
        let size = frames[0].count
        let stream = head + frames.flatMap { $0 }
        var tape = RecordingTape(chunk: chunk)
        tape.connect(type: "audio/flac", title: "A")
        let cut = head.count + 20 * size + 3
        tape.play(Array(stream[..<cut]))
        tape.title("B")
        tape.play(Array(stream[cut...]))
        // A connection that joins later, in the middle of the stream.
        tape.connect(.moved, container: .flac, title: "B", head: head)
        tape.play(frames[10..<20].flatMap { $0 })
        let files = tape.recorded()
        #expect(files.map(\.file.title) == ["A", "B", "B"])
        #expect(files.map(\.file.fileExtension) == ["flac", "flac", "flac"])
        #expect(files[0].bytes == head + frames[..<20].flatMap { $0 })
        #expect(files[1].bytes == head + frames[20...].flatMap { $0 })
        #expect(files[2].bytes == head + frames[10..<20].flatMap { $0 })
    }

    @Test("A page of text makes no file")
    func page() {
        var tape = RecordingTape(chunk: 100)
        tape.connect(type: "audio/mpeg")
        tape.play(
            Array("<html><body>Sorry</body></html>".utf8) + [UInt8](repeating: 0x20, count: 5000)
        )
        #expect(tape.recorded().isEmpty)
    }

    @Test("WAVE is kept unchanged")
    func wave() {
        let samples = [UInt8](repeating: 9, count: 5000)
        let size: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
        var file: [UInt8] = Array("RIFF".utf8)
        file += size + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0, 0x44, 0xAC, 0, 0]
        file += [0x10, 0xB1, 2, 0, 4, 0, 16, 0] + Array("data".utf8) + size + samples
        var tape = RecordingTape(chunk: 7)
        tape.connect(container: .wave, title: "A")
        tape.play(Array(file[..<2000]))
        tape.title("B")
        tape.play(Array(file[2000...]))
        let files = tape.recorded()
        #expect(files.map(\.file.fileExtension) == ["wav"])
        let isSame = files.first?.bytes == file
        #expect(isSame)
    }
}
