// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

/// The entry points of WeirSource that take lengths and offsets from outside.
///
/// These are ranges, holes, the lengths in folder entries and descriptions, and the sizes of boxes
/// and tags in first bytes.
@Suite("Numbers from outside, in basic types")
struct OutsideNumbersTests {
    private static let numbers = OutsideNumbers.all

    @Test("a range is resolved in any length")
    func ranges() {
        for number in Self.numbers {
            for length in Self.numbers {
                for range in [
                    RequestedRange.from(number), .suffix(number),
                    .span(min(number, 0)..<max(number, 0)),
                ] {
                    guard let part = range.resolved(inLength: length) else { continue }
                    #expect(part.lowerBound >= 0 && part.upperBound <= length)
                }
                if number <= length {
                    _ = RequestedRange.span(number..<length).resolved(inLength: length)
                }
            }
            _ = RequestedRange.suffix(number).isEmpty
            _ = SourceError.pastTheEnd(.from(number), length: number)
        }
    }

    @Test("holes and runs are found at any offset")
    func holes() {
        for first in OutsideNumbers.natural {
            for second in OutsideNumbers.natural where first < second {
                let held = RangeSet(first..<second)
                for number in Self.numbers {
                    _ = held.run(containing: number)
                    _ = held.hole(containing: number, before: .max)
                    _ = held.hole(containing: number, before: second)
                    if number <= second { _ = held.firstMissing(in: number..<second) }
                }
                _ = held.byteCount
                for length in Self.numbers {
                    let now = Availability(held: held, length: length)
                    #expect((now.fraction == 1) == now.isComplete)
                }
            }
        }
    }

    @Test("an entry of a folder has a possible length, or no length")
    func entries() {
        for number in Self.numbers {
            let entry = FolderEntry(name: "a", kind: .file, length: number, modifiedSeconds: number)
            #expect(entry.resource.length == ResourceLength.checked(number))
        }
    }

    @Test("memory is cut at any offset of a chunk")
    func chunks() {
        let chunk = ByteChunk(at: 100, memory: ByteMemory([1, 2, 3]))
        for lower in Self.numbers {
            for upper in Self.numbers where lower <= upper {
                _ = chunk.clamped(to: lower..<upper)
            }
        }
    }

    /// First bytes of formats that declare the length of a part in a number.
    private static func heads(_ number: Int64) -> [[UInt8]] {
        let wide = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        let narrow = Array(wide.suffix(4))
        let little = Array(wide.reversed())
        // Seven bits in each byte, as in an ID3 tag.
        let sevens = (0..<4).map { UInt8(truncatingIfNeeded: number >> (21 - 7 * $0)) & 0x7F }
        let rest = [UInt8](repeating: 0, count: 100)
        return [
            narrow + Array("ftypisom".utf8) + rest,
            [0, 0, 0, 1] + Array("ftyp".utf8) + wide + Array("isom".utf8) + rest,
            narrow + Array("moov".utf8) + rest,
            Array("ID3".utf8) + [4, 0, 0] + sevens + rest,
            [0x1A, 0x45, 0xDF, 0xA3, 0x01] + wide.dropFirst() + [0x42, 0x82, 0x88] + rest,
            [0x1A, 0x45, 0xDF, 0xA3, 0x90, 0x42, 0x82, 0x01] + wide.dropFirst() + rest,
            Array("RIFF".utf8) + little.prefix(4) + Array("WAVEfmt ".utf8) + little.prefix(4)
                + rest,
            Array("fLaC".utf8) + [0x80] + narrow.suffix(3) + rest,
            Array("OggS".utf8) + [0, 2] + little + [0, 0, 0, 1] + [255] + rest,
            Array("FORM".utf8) + narrow + Array("AIFF".utf8) + rest,
        ]
    }

    @Test("first bytes may claim any lengths", .timeLimit(.minutes(1)))
    func sniffing() async throws {
        for number in Self.numbers {
            for head in Self.heads(number) {
                for end in [head.count, head.count / 2, 9] {
                    let bytes = Array(head.prefix(end))
                    let source = TypedSource(ScriptedSource(ScriptedResource(bytes: bytes)))
                    #expect(try await source.describe().length == Int64(bytes.count))
                }
            }
        }
    }
}
