// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirTestKit

@testable import WeirLive

/// Records a station that loses its connection and gets a new one.
@Suite struct StationRecordingTests {
    private static func titled(_ title: String) -> [UInt8] {
        var text = Array("StreamTitle='\(title)';".utf8)
        text += [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
        return [UInt8(text.count / 16)] + text
    }

    /// Frames with a metadata block behind every ten of them.
    private static func broadcast(_ numbers: Range<Int>, titles: [Int: String]) -> [UInt8] {
        stride(from: numbers.lowerBound, to: numbers.upperBound, by: 10).reduce(into: []) {
            bytes,
            number in
            bytes += NumberedFrames.frames(number..<number + 10)
            bytes += titles[number].map(Self.titled) ?? [0]
        }
    }

    @Test(
        "A recording beside a player begins and ends at the position of the player",
        arguments: [0, 4]
    )
    func heard(behind: Int) async throws {
        let folder = TemporaryDirectory()
        let path = folder.path
        try await Studio.scene { _, _ in .answers([.radio(for: nil)]) }.run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(10))
            let core = studio.station.core
            let recording = try studio.station.record(into: URL(filePath: path)) {
                core.liveTime - .seconds(behind)
            }
            try await studio.pass(.seconds(20))
            recording.end()
            try await studio.pass(.seconds(5))
            await recording.stop()
            withExtendedLifetime(hearing) {}
        }
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
        let bytes = FileManager.default.contents(atPath: folder.path(of: name)) ?? Data()
        let numbers = try #require(NumberedFrames.numbers(Array(bytes)))
        // The broadcast arrives ten frames at a time, which is 0.36 s.
        let frame = NumberedFrames.duration / .seconds(1)
        let (first, last) = (Double(numbers.first ?? 0) * frame, Double(numbers.last ?? 0) * frame)
        #expect(abs(first - Double(10 - behind)) < 0.8, "it begins at \(first) s")
        #expect(abs(last - Double(30 - behind)) < 0.8, "it ends at \(last) s")
    }

    @Test("The files of a station that closes in mid-song have all of its frames, song by song")
    func reconnects() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path
        try await Studio.scene { number, _ in
            guard number < 3 else { return .hangs }
            let start = number * 100
            let titles = [
                start: number == 2 ? "B - b" : "A - a", start + 50: number == 2 ? "C" : "A - a",
            ]
            let bytes = Self.broadcast(start..<start + 100, titles: titles)
            return .answers(
                [.bytes(bytes + NumberedFrames.frame(0).prefix(70)), .wait(.seconds(2))],
                fields: [("icy-metaint", "1440")]
            )
        }.run { studio in
            let recording = try studio.station.record(into: URL(filePath: path))
            try await studio.pass(.seconds(60))
            await recording.stop()
            let events = await recording.events().reduce(into: []) { $0.append($1) }
            #expect(events.count == 6)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names == ["01 A - a.mp3", "02 B - b.mp3", "03 C.mp3"])
        let numbers = names.map { name in
            NumberedFrames.numbers(
                Array(FileManager.default.contents(atPath: folder.path(of: name)) ?? Data())
            )
        }
        #expect(numbers.first == Array(0..<200))
        // A title behind frame 259 applies to the frames behind it.
        #expect(numbers.dropFirst().first == Array(200..<260))
        #expect(numbers.last == Array(260..<300))
    }

    @Test("A recording may begin in the past")
    func past() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path
        try await Studio.scene { _, _ in
            .answers([.radio(for: nil)])
        }.run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(60))
            let recording = try studio.station.record(
                into: URL(filePath: path),
                behindLive: .seconds(50)
            )
            try await studio.pass(.seconds(1))
            await recording.stop()
            hearing.listener.cancel()
            #expect(studio.transport.calls.count == 1)
        }
        let bytes = FileManager.default.contents(atPath: folder.path(of: "01 Radio.mp3")) ?? Data()
        let numbers = try #require(NumberedFrames.numbers(Array(bytes)))
        #expect(numbers.count > 1300 && numbers.count < 1460)
        #expect(numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + numbers.count))
    }
}
