// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("An impossible length")
struct ImpossibleLengthTests {
    private static let lengths = ["9223372036854775807", "18446744073709551615", "-1"]
    private static let sound = Array("sound without an end".utf8)

    @Test("is unknown: the bytes are read as they come", arguments: lengths)
    func contentLength(_ length: String) async throws {
        let fields = [("Content-Length", length), ("Content-Type", "audio/mpeg")]
        let transport = ScriptedTransport(.answer(200, fields, Self.sound))
        let reading = try await makeOrigin(transport: transport).read(.whole)
        #expect(reading.resource.length == nil && reading.resource.mediaType == .mpegAudio)
        #expect(try await reading.collect() == Self.sound)
        #expect(try await makeOrigin(transport: transport).describe().length == nil)
    }

    @Test("is unknown as the total of a part", arguments: lengths)
    func total(_ length: String) async throws {
        let fields = [("Content-Range", "bytes 0-19/\(length)"), ("Content-Length", "20")]
        let transport = ScriptedTransport(.answer(206, fields, Self.sound))
        let reading = try await makeOrigin(transport: transport).read(.span(0..<20))
        #expect(reading.resource.length == nil)
        #expect(try await reading.collect() == Self.sound)
    }

    @Test(
        "in a part without an end causes a request for the whole, without a range",
        arguments: lengths
    )
    func endless(_ length: String) async throws {
        let transport = ScriptedTransport { request, _ in
            guard request.headers["Range"] != nil else {
                return .answer(200, [("Content-Length", length)], Self.sound)
            }
            let last = length == "-1" ? "-1" : "9223372036854775806"
            let fields = [
                ("Content-Range", "bytes 0-\(last)/\(length)"), ("Content-Length", length),
            ]
            return .answer(206, fields, Self.sound)
        }
        let reading = try await makeOrigin(transport: transport).read(.whole)
        #expect(reading.resource.length == nil)
        #expect(try await reading.collect() == Self.sound)
        #expect(transport.requests.count == 2)
    }
}
