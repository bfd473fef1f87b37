// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource

@testable import WeirPlayback

@Suite("The precision of a position")
struct PositionPrecisionTests {
    private static func bytes(_ name: String) throws -> [UInt8] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "WeirLibavTests/Fixtures/\(name)")
        return [UInt8](try Data(contentsOf: file))
    }

    /// The item when its first sound is heard.
    private static func begun(
        _ bytes: [UInt8],
        at start: Duration,
        isHeld: Bool = true
    ) async throws -> QueuedItem? {
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "file"),
            source: KeptSource(bytes, keeps: isHeld),
            start: start
        )
        while let entries = try await feed.next() {
            for case .item(let item) in entries { return item }
        }
        return nil
    }

    @Test("a file that plays from its beginning has an exact position, whatever its format")
    func beginning() async throws {
        for name in ["layer3-stereo.mp3", "aac.aac", "flac.flac"] {
            let item = try await Self.begun(Self.bytes(name), at: .zero)
            #expect(item?.precision == .exact, "\(name)")
        }
    }

    @Test("a seek by the bit rate is approximate, unless all bytes in front of it are held")
    func byBitRate() async throws {
        // A minute of sound; MPEG audio of layer II has no seek table.
        let once = try Self.bytes("layer2.mp2")
        let bytes = Array(repeatElement(once, count: 200).joined())
        let held = try #require(await Self.begun(bytes, at: .seconds(20)))
        #expect(held.precision == .exact && held.position == .seconds(20))
        let item = try #require(await Self.begun(bytes, at: .seconds(20), isHeld: false))
        #expect(item.precision == .approximate)
        #expect(item.position >= .seconds(19) && item.position <= .seconds(21))
    }

    @Test("a seek in samples is exact")
    func inSamples() async throws {
        let bytes = WAVBytes.file(WAVBytes.ramp(0..<80_000), sampleRate: 8000)
        let item = try #require(await Self.begun(bytes, at: .seconds(5)))
        #expect(item.precision == .exact)
        #expect(item.position == .seconds(5))
    }

    @Test("lasts until another item is heard, and ends when its sound is dropped")
    func ledger() {
        var ledger = RenderLedger()
        ledger.setRate(1000)
        ledger.begin(at: .seconds(10), .approximate)
        #expect(ledger.precision == .approximate)
        ledger.wrote(frameCount: 1000)
        ledger.begin(at: .zero)
        ledger.wrote(frameCount: 1000)
        _ = ledger.advance(delay: .seconds(1.5))
        #expect(ledger.precision == .approximate)
        _ = ledger.advance(delay: .seconds(0.5))
        #expect(ledger.precision == .exact)
        ledger.restart(at: .seconds(3))
        #expect(ledger.precision == .exact)
    }
}
