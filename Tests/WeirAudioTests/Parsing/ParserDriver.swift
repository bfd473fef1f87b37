// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

@testable import WeirAudio

/// Describes the first difference between two outcomes; `nil` if they are the same.
func firstDifference(
    _ found: ParserDriver.Outcome,
    _ expected: ParserDriver.Outcome
) -> String? {
    if let difference = firstDifference(found.events, expected.events) { return difference }
    return found.error == expected.error
        ? nil
        : "\(String(describing: found.error)) in place of \(String(describing: expected.error))"
}

/// Drives a parser over bytes in chunks of chosen sizes.
struct ParserDriver {
    /// The parser's results.
    struct Outcome: Equatable {
        var events: [AudioStreamEvent] = []
        var error: AudioStreamError?

        var packets: [AudioPacket] {
            self.events.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
        }

        var formats: [AudioFormat] {
            self.events.compactMap { if case .format(let format) = $0 { format } else { nil } }
        }

        var tags: [AudioTags] {
            self.events.compactMap { if case .tags(let tags) = $0 { tags } else { nil } }
        }

        var troubles: [AudioStreamFailure] {
            self.events.compactMap { if case .trouble(let trouble) = $0 { trouble } else { nil } }
        }
    }

    /// Parses all bytes; a parser that wants to continue elsewhere gets the bytes from that offset.
    ///
    /// - Parameters:
    ///   - bytes: the stream.
    ///   - start: the offset in the stream to begin at.
    ///   - sizes: gives the size of the next chunk, at least 1.
    ///   - parser: the parser to drive.
    /// - Returns: the parser's results.
    static func parse(
        _ bytes: [UInt8],
        from start: Int = 0,
        sizes: () -> Int = { .max },
        with parser: some FormatParser
    ) -> Outcome {
        var parser = parser
        var window = ByteWindow(offset: Int64(start))
        var outcome = Outcome()
        var position = start
        // Every turn takes bytes, ends, or makes one of a bounded number of jumps.
        var jumps = 0
        do throws(AudioStreamError) {
            while true {
                while let event = try parser.next(&window) {
                    outcome.events.append(event)
                    guard case .wanted(let offset) = event else { continue }
                    jumps += 1
                    guard jumps < 100_000, offset >= 0 else { return outcome }
                    position = Int(min(offset, Int64(bytes.count)))
                    window.jump(to: offset)
                }
                if window.isAtEnd { return outcome }
                if position >= bytes.count {
                    window.finish()
                } else {
                    let size = max(1, min(sizes(), bytes.count - position))
                    window.push(ByteMemory(copying: bytes[position..<position + size]))
                    position += size
                }
            }
        } catch {
            outcome.error = error
        }
        return outcome
    }
}
