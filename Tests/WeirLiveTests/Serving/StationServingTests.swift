// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirLive
import WeirSource
import WeirTestKit

/// Players behind a proxy share a station's connection.
@Suite struct StationServingTests {
    @Test("Two players share one connection, also after it is lost")
    func sharing() async throws {
        try await Studio.scene { _, _ in
            .answers([.radio(for: .seconds(5))])
        }.run { studio in
            let source = StationSource(studio.station)
            let first = try await source.read(.whole)
            let second = try await source.read(.whole)
            #expect(first.resource.mediaType == .mpegAudio)
            for reading in [first, second] {
                var bytes: [UInt8] = []
                for try await chunk in reading {
                    bytes += try chunk.bytes()
                    if bytes.count > 280 * NumberedFrames.size { break }
                }
                let numbers = try #require(NumberedFrames.numbers(bytes))
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            }
            #expect(studio.transport.calls.count <= 3)
        }
    }

    @Test("A new reader of a failing station gets the reason in time; an earlier reader waits")
    func patience() async throws {
        try await Studio.scene { number, _ in
            switch number {
            case 0: .answers([.radio(for: .seconds(5))])
            case 1: .fails(SourceError(.unreachable, "Nobody takes the call."))
            default: .hangs
            }
        }.run { studio in
            let source = StationSource(studio.station, patience: .seconds(4))
            let reading = try await source.read(.whole)
            try await studio.pass(.seconds(6))
            let start = studio.timeline.elapsed()
            await #expect {
                _ = try await source.read(.whole)
            } throws: { ($0 as? SourceError)?.message == "Nobody takes the call." }
            #expect(studio.timeline.elapsed() - start == .seconds(4))
            // The description stays available, and existing listeners stay connected.
            #expect(try await source.describe() == reading.resource)
            #expect(studio.station.status.phase != .idle)
            _ = reading
        }
    }

    @Test("A station that sends nothing has timed out")
    func silence() async throws {
        try await Studio.scene { _, _ in .hangs }.run { studio in
            let source = StationSource(studio.station, patience: .seconds(4))
            await #expect {
                _ = try await source.describe()
            } throws: { ($0 as? SourceError)?.code == .timedOut }
            #expect(studio.timeline.elapsed() == .seconds(4))
            try await studio.pass(.seconds(1))
            #expect(studio.station.status.phase == .idle)
        }
    }
}
