// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirLive

/// A station as players behind a proxy see it.
@Suite struct StationSourceTests {
    /// A source that gives its listeners these scripts, one after the other.
    private static func source(_ scripts: [ScriptedPieces]) -> StationSource {
        let left = Mutex(scripts[...])
        return StationSource(name: "Ra/dio") {
            left.withLock { left -> ScriptedPieces in
                left.popFirst() ?? ScriptedPieces(end: .success(()))
            }
        }
    }

    private static func tape(_ type: String? = "audio/mpeg", head: [UInt8] = []) -> RecordingTape {
        var tape = RecordingTape(chunk: 100, startingAt: 5000)
        tape.connect(type: type, title: "A", head: head)
        tape.play(RingModel.bytes(0..<1000))
        tape.title("B")
        tape.play(RingModel.bytes(1000..<2000))
        return tape
    }

    /// Reads at least a number of bytes.
    private static func read(_ reading: ByteReading, _ count: Int = .max) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var position = reading.lowerBound
        for try await chunk in reading {
            #expect(chunk.range.lowerBound == position)
            position = chunk.range.upperBound
            bytes += try chunk.bytes()
            if bytes.count >= count { break }
        }
        return bytes
    }

    @Test("A reading is the sound from the live end on, without titles, until it ends")
    func whole() async throws {
        let pieces = ScriptedPieces(Self.tape().pieces)
        let reading = try await Self.source([pieces]).read(.whole)
        #expect(reading.resource.length == nil)
        #expect(reading.resource.mediaType == .mpegAudio)
        #expect(reading.resource.name == "Ra_dio.mp3")
        #expect(reading.lowerBound == 0)
        #expect(reading.upperBound == nil)
        #expect(try await Self.read(reading, 2000) == RingModel.bytes(0..<2000))
    }

    @Test("The header comes first; a jump brings a new header, but never the same one twice")
    func heads() async throws {
        let head: [UInt8] = Array("head".utf8)
        for container in [AudioContainer.flac, .ogg] {
            var tape = RecordingTape()
            tape.connect(container: container, head: head)
            tape.play([1, 2])
            tape.connect(.fellBehind, container: container, head: head)
            tape.play([3])
            tape.connect(.reconnected(nil), container: container)
            tape.play([4])
            tape.connect(.fellBehind, container: container, head: [9])
            tape.play([5])
            let reading = try await Self.source([ScriptedPieces(tape.pieces)]).read(.whole)
            let again = container == .ogg ? head : []
            let wanted = head + [1, 2] + again + [3, 4, 9, 5]
            #expect(try await Self.read(reading, wanted.count) == wanted)
        }
    }

    @Test("A reading with a bound ends there, and leaves the station")
    func bounded() async throws {
        let pieces = ScriptedPieces(Self.tape(head: [7, 7]).pieces)
        let reading = try await Self.source([pieces]).read(.span(0..<150))
        #expect(try await Self.read(reading) == [7, 7] + RingModel.bytes(0..<148))
        #expect(pieces.isCancelled)
    }

    @Test("A reading from an offset is the same reading without its first bytes")
    func offset() async throws {
        let source = Self.source([
            ScriptedPieces(Self.tape(head: [7, 7]).pieces), ScriptedPieces(Self.tape().pieces),
        ])
        let reading = try await source.read(.from(250))
        #expect(reading.lowerBound == 250)
        #expect(try await Self.read(reading, 500).prefix(500) == RingModel.bytes(248..<748)[...])
        let empty = try await source.read(.span(9..<9))
        #expect(try await Self.read(empty).isEmpty)
    }

    @Test("A range that counts from the end is refused")
    func suffix() async throws {
        let source = Self.source([])
        await #expect {
            _ = try await source.read(.suffix(10))
        } throws: { ($0 as? SourceError)?.code == .rangeNotSatisfiable }
    }

    @Test("A description asks the station once, and leaves it")
    func describing() async throws {
        let pieces = ScriptedPieces(Self.tape("audio/aacp").pieces)
        let source = Self.source([pieces])
        let description = try await source.describe()
        #expect(pieces.isCancelled)
        #expect(description.mediaType?.canonical == .aac)
        #expect(description.length == nil)
        #expect(try await source.describe() == description)
    }

    @Test("The detected format counts before the type that the server names")
    func types() async throws {
        for (container, type, wanted) in [
            (AudioContainer.adts, "text/html", MediaType.aac), (.flac, nil, .flac),
            (.mpegAudio, "application/octet-stream", .mpegAudio), (.ogg, nil, .oggAudio),
        ] {
            var tape = RecordingTape()
            tape.connect(type: type, container: container)
            let source = Self.source([ScriptedPieces(tape.pieces)])
            #expect(try await source.describe().mediaType == wanted)
        }
    }

    @Test(
        "A station that ends gives its reason",
        arguments: [
            (StationError(.refused, "a"), SourceError.Code.forbidden),
            (StationError(.refused, "b", cause: SourceError(.notFound, "c")), .notFound),
            (StationError(.notAudio, "d"), .notMedia), (StationError(.silent, "e"), .timedOut),
            (StationError(.failing, "f"), .originFailed), (StationError(.ended, "g"), .unreachable),
        ]
    )
    func losses(loss: StationError, code: SourceError.Code) async throws {
        let early = ScriptedPieces(end: .failure(loss))
        let late = ScriptedPieces(Self.tape().pieces, end: .failure(loss))
        let source = Self.source([early, late])
        await #expect { _ = try await source.read(.whole) } throws: {
            ($0 as? SourceError)?.code == code
        }
        #expect(early.isCancelled)
        let reading = try await source.read(.whole)
        await #expect { _ = try await Self.read(reading) } throws: {
            ($0 as? SourceError)?.code == code
        }
    }

    @Test("A station that is closed ends its readings with an error, because the stream has no end")
    func closed() async throws {
        let source = Self.source([ScriptedPieces(Self.tape().pieces, end: .success(()))])
        let reading = try await source.read(.whole)
        await #expect { _ = try await Self.read(reading) } throws: {
            ($0 as? SourceError)?.code == .closed
        }
    }

    @Test("A reading that is dropped or cancelled leaves at once")
    func leaving() async throws {
        let pieces = ScriptedPieces(Self.tape().pieces)
        let waiting = ScriptedPieces()
        let source = Self.source([pieces, waiting])
        _ = try await source.read(.whole)
        #expect(pieces.isCancelled)
        let task = Task { _ = try await source.read(.whole) }
        try await waiting.waitUntilTaken(0)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(waiting.isCancelled)
    }
}
