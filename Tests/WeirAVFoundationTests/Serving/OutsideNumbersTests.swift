// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

/// A player's requests and a source's claims, with extreme numbers that could overflow.
///
/// The server gives an answer or an error and never traps.
@Suite("Numbers from a player and its source")
struct OutsideNumbersTests {
    /// Serves a request from a source that has as many bytes as are requested, and ends after some of them.
    private static func serve(
        _ request: LoadingRequestServer.Request.Bytes,
        length: Int64?,
        released: Int
    ) {
        var server = LoadingRequestServer(limits: ServerScene.limits)
        var events: [LoadingRequestServer.Event] = [
            .prepared,
            .requested(.init(id: .init(1), wantsInformation: true, bytes: request)),
            .held(Availability(held: RangeSet<Int64>(), length: length)),
        ]
        var turns = 0
        while turns < 200, !events.isEmpty {
            turns += 1
            for effect in server.handle(events.removeFirst()) {
                switch effect {
                case .read(let id, let demand):
                    let description = ResourceDescription(
                        length: length,
                        mediaType: .mpegAudio,
                        validator: .revision("a")
                    )
                    let start =
                        switch demand.range {
                        case .span(let range): range.lowerBound
                        case .from(let offset): offset
                        case .suffix: Int64(0)
                        }
                    events.append(
                        .opened(id, description, lowerBound: start)
                    )
                case .pull(let id, let count):
                    let bytes = ByteMemory([UInt8](repeating: 1, count: min(count, 512)))
                    events.append(turns < 150 ? .arrived(id, bytes) : .ended(id))
                case .respond(let id, _): events.append(.released(id, released))
                default: break
                }
            }
        }
        #expect(turns > 0)
    }

    @Test("offsets and lengths that a player asks for", arguments: OutsideNumbers.all)
    func asked(_ offset: Int64) {
        for length in OutsideNumbers.all {
            for toTheEnd in [true, false] {
                let request = LoadingRequestServer.Request.Bytes(
                    offset: offset,
                    length: length,
                    toTheEnd: toTheEnd
                )
                #expect((0...ResourceLength.maximum).contains(request.offset))
                for total in OutsideNumbers.natural {
                    if let end = request.end(inLength: total) { #expect(end <= total) }
                }
                Self.serve(request, length: nil, released: .max)
                Self.serve(request, length: 1 << 40, released: 512)
            }
        }
    }

    @Test("lengths that a source announces", arguments: OutsideNumbers.natural)
    func claimed(_ total: Int64) {
        for offset in OutsideNumbers.natural {
            let request = LoadingRequestServer.Request.Bytes(
                offset: offset,
                length: 2000,
                toTheEnd: false
            )
            Self.serve(request, length: total, released: 1)
        }
    }
}
