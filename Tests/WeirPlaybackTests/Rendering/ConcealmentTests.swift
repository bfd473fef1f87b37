// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirPlayback

@Suite("Concealing packets")
struct ConcealmentTests {
    private static let damaged = AudioError(.badPacket, "It is damaged.")

    @Test("the silence is as long as the packet, and never longer than the longest packet")
    func lengths() {
        #expect(Concealment.frameCount(1024, at: 22_050, to: 44_100) == 2048)
        #expect(Concealment.frameCount(1152, at: 44_100, to: 44_100) == 1152)
        #expect(Concealment.frameCount(1152, at: 44_100, to: 22_050) == 576)
        #expect(Concealment.frameCount(-5, at: 44_100, to: 44_100) == 0)
        let most = Concealment.mostFrames
        #expect(Concealment.frameCount(SampleCount(1 << 32), at: 48_000, to: 48_000) == most)
        #expect(Concealment.frameCount(SampleCount(.max), at: 1, to: .max) == most)
        #expect(Concealment.frameCount(SampleCount(.max), at: 0, to: 48_000) == most)
    }

    @Test("two hundred damaged packets in a row end the item, but not with a good packet between")
    func counting() {
        var concealment = Concealment()
        for _ in 0..<199 { #expect(concealment.failed(Self.damaged) == nil) }
        concealment.restart()
        for _ in 0..<199 { #expect(concealment.failed(Self.damaged) == nil) }
        #expect(
            concealment.failed(Self.damaged)
                == "200 packets in a row cannot be decoded (It is damaged.)"
        )
    }

    @Test("an item of which no packet could be decoded fails at its end, and no other item does")
    func verdicts() {
        var concealment = Concealment()
        #expect(concealment.verdict() == nil)
        _ = concealment.failed(Self.damaged)
        #expect(
            concealment.verdict()?.words == "its only packet cannot be decoded (It is damaged.)"
        )
        concealment.restart()
        _ = concealment.failed(Self.damaged)
        #expect(
            concealment.verdict()?.words == "none of its 2 packets can be decoded (It is damaged.)"
        )
        concealment.succeeded()
        #expect(concealment.verdict() == nil)
        concealment.begin()
        _ = concealment.failed(Self.damaged)
        #expect(concealment.verdict() != nil)
    }

    @Test("a decoder that can do nothing more ends the item at once")
    func uselessDecoder() {
        var concealment = Concealment()
        let error = AudioError(.failed, "There is no memory.")
        #expect(concealment.failed(error) == "it cannot be decoded (There is no memory.)")
    }
}
