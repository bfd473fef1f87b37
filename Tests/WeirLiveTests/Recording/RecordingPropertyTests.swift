// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

/// Whatever a station sends and loses, its frames are in the files of their titles.
@Suite struct RecordingPropertyTests {
    /// An expected file.
    struct Wanted: Equatable {
        var title: String?
        var numbers: [Int] = []
    }

    /// A title, and the offset in the connection of the byte that follows it.
    struct Said {
        var offset: Int
        var title: String
    }

    @Test(
        "The file of a title has all of its whole frames, in order, and nothing else",
        arguments: UInt64(1)...200
    )
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let size = NumberedFrames.size
        var tape = RecordingTape(
            chunk: Int.random(in: 1...700, using: &generator),
            startingAt: Int64.random(in: 0...9999, using: &generator)
        )
        var wanted: [Wanted] = []
        var number = 0
        for connection in 0..<Int.random(in: 1...4, using: &generator) {
            let count = Int.random(in: 8...30, using: &generator)
            let (cutFront, cutEnd) = (
                Int.random(in: 0..<size, using: &generator),
                Int.random(in: 0..<size, using: &generator)
            )
            let stream = Array(
                NumberedFrames.frames(number..<number + count)[cutFront...].dropLast(cutEnd)
            )
            let beginning =
                Bool.random(using: &generator)
                ? "T\(Int.random(in: 0...2, using: &generator))" : nil
            var said: [Said] = []
            if beginning != nil {
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    let title = Int.random(in: 0...3, using: &generator)
                    let offset = Int.random(in: 0...stream.count, using: &generator)
                    said.append(Said(offset: offset, title: title == 3 ? "" : "T\(title)"))
                }
                said.sort { $0.offset < $1.offset }
            }
            tape.connect(
                connection == 0 ? .joined : .reconnected(nil),
                type: "audio/mpeg",
                container: Bool.random(using: &generator) ? .mpegAudio : nil,
                title: beginning
            )
            var place = 0
            for next in said {
                tape.play(Array(stream[place..<next.offset]))
                tape.title(next.title)
                place = next.offset
            }
            tape.play(Array(stream[place...]))
            // A title applies to the packet that contains the byte behind it.
            var current = beginning
            for frame in (cutFront == 0 ? 0 : 1)..<(cutEnd == 0 ? count : count - 1) {
                let end = (frame + 1) * size - cutFront
                while let next = said.first, next.offset < end {
                    current = next.title
                    said.removeFirst()
                }
                let title = current.map { $0.isEmpty ? nil : $0 } ?? wanted.last?.title
                if wanted.isEmpty || wanted.last?.title != title {
                    wanted.append(Wanted(title: title))
                }
                wanted[wanted.count - 1].numbers.append(number + frame)
            }
            number += count
        }
        let files = tape.recorded().map { file in
            Wanted(title: file.file.title, numbers: NumberedFrames.numbers(file.bytes) ?? [-1])
        }
        #expect(files == wanted)
    }
}
