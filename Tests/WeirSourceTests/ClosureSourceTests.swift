// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

extension ByteReading {
    fileprivate func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in self { bytes += try chunk.bytes() }
        return bytes
    }
}

@Suite("A source of two closures", .timeLimit(.minutes(1)))
struct ClosureSourceTests {
    private struct Broken: LocalizedError {
        let errorDescription: String?
    }

    private static let bytes = PatternBytes.bytes(in: 0..<1000)

    @Test("asks for pieces, one after the other, and yields them")
    func pieces() async throws {
        let asked = Watched<[Range<Int64>]>([])
        let source = ClosureSource(pieceLength: 300) {
            ResourceDescription(length: 1000)
        } read: { range in
            asked.update { $0.append(range) }
            return Self.bytes[Int(range.lowerBound)..<Int(range.upperBound)]
        }
        let read = try await source.read(.from(100)).collect()
        #expect(read == Array(Self.bytes[100...]))
        #expect(asked.value == [100..<400, 400..<700, 700..<1000])
        #expect(try await source.describe().acceptsRanges == true)
    }

    @Test(
        "of unknown length ends with the first short piece",
        arguments: [250, 300, 1000]
    )
    func unknownLength(pieceLength: Int) async throws {
        let source = ClosureSource(pieceLength: pieceLength) {
            ResourceDescription(length: nil, name: "song.mp3")
        } read: { range in
            let range = range.clamped(to: 0..<1000)
            return Data(Self.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        let reading = try await source.read(.whole)
        #expect(reading.upperBound == nil && reading.provesEnd)
        #expect(try await reading.collect() == Self.bytes)
        #expect(try await source.read(5..<10).collect() == Array(Self.bytes[5..<10]))
        let error = await #expect(throws: SourceError.self) { try await source.read(.suffix(3)) }
        #expect(error?.code == .rangeNotSatisfiable)
    }

    @Test("of known length refuses a piece that is too short, or too long", arguments: [3, 101])
    func wrongPieces(count: Int) async throws {
        let source = ClosureSource {
            ResourceDescription(length: 100, name: "song.mp3")
        } read: { _ in
            [UInt8](repeating: 1, count: count)
        }
        let reading = try await source.read(.whole)
        let error = await #expect(throws: SourceError.self) { try await reading.collect() }
        #expect(error?.code == .truncated && error?.range == 0..<100)
        #expect(error?.message == "song.mp3 gave \(count) of 100 bytes; read it again.")
    }

    @Test(
        "gives an error of the application a code, and leaves its own and a cancellation as they are"
    )
    func errors() async throws {
        let sentence = "The archive is locked."
        for error: any Error in [
            Broken(errorDescription: sentence), SourceError(.notFound, "Gone."),
            CancellationError(),
        ] {
            let undescribed = ClosureSource {
                throw error
            } read: { _ in
                [UInt8]()
            }
            let unread = ClosureSource {
                ResourceDescription(length: 1)
            } read: { _ -> [UInt8] in
                throw error
            }
            for attempt: () async throws -> Void in [
                { _ = try await undescribed.describe() },
                { _ = try await unread.read(.whole).collect() },
            ] {
                let thrown = await #expect(throws: (any Error).self) { try await attempt() }
                switch error {
                case let error as SourceError: #expect(thrown as? SourceError == error)
                case is CancellationError: #expect(thrown is CancellationError)
                default:
                    let failure = try #require(thrown as? SourceError)
                    #expect(failure.code == .failed && failure.cause is Broken)
                    #expect(
                        failure.message
                            == "Could not read the source: The archive is locked; read it again."
                    )
                }
            }
        }
    }
}
