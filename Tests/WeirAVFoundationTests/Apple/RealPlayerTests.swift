// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import AVFoundation
import Foundation
import Testing
import WeirAVFoundation
import WeirSource
import WeirTestKit

/// Tests with Apple's own player, on a Mac only.
///
/// These tests use no stubs. They have never been run; see the workflow `apple.yml`.
@MainActor
@Suite("AVPlayer itself", .timeLimit(.minutes(1)))
struct RealPlayerTests {
    @Test("plays a generated file to its end, through the loader")
    func toTheEnd() async throws {
        let tone = MemorySource(
            bytes: Self.tone(seconds: 1),
            mediaType: .wav,
            name: "tone.wav",
            validator: .entityTag("\"tone\"")
        )
        let item = try await AVPlayerItem(media: tone)
        let player = AVPlayer(playerItem: item)
        let (ends, teller) = AsyncStream.makeStream(of: Bool.self)
        let center = NotificationCenter.default
        let observers = [
            center.addObserver(
                forName: AVPlayerItem.didPlayToEndTimeNotification,
                object: item,
                queue: nil
            ) { _ in teller.yield(true) },
            center.addObserver(
                forName: AVPlayerItem.failedToPlayToEndTimeNotification,
                object: item,
                queue: nil
            ) { _ in teller.yield(false) },
        ]
        defer { for observer in observers { center.removeObserver(observer) } }
        player.play()
        let isWhole = await ends.first { _ in true }
        #expect(isWhole == true)
        #expect(item.error == nil)
        #expect(abs(item.duration.seconds - 1) < 0.1)
        player.pause()
    }

    /// A WAVE file with a 440 Hz sine: 44,100 samples a second, 16 bits, one channel.
    private static func tone(seconds: Int) -> [UInt8] {
        let rate = 44_100
        let count = seconds * rate
        var bytes = Array("RIFF".utf8) + Self.bytes(UInt32(36 + 2 * count)) + Array("WAVE".utf8)
        bytes += Array("fmt ".utf8) + Self.bytes(UInt32(16)) + Self.bytes(UInt16(1))
        bytes += Self.bytes(UInt16(1)) + Self.bytes(UInt32(rate)) + Self.bytes(UInt32(2 * rate))
        bytes += Self.bytes(UInt16(2)) + Self.bytes(UInt16(16))
        bytes += Array("data".utf8) + Self.bytes(UInt32(2 * count))
        for index in 0..<count {
            let angle = 2 * Double.pi * 440 * Double(index) / Double(rate)
            bytes += Self.bytes(Int16(8_000 * sin(angle)))
        }
        return bytes
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
#endif
