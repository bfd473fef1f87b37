// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirSource

@testable import WeirPlayback

@Suite("Packet times, compared with the written sound")
struct PacketClockTests {
    private static let format = PCMFormat(sampleRate: 48_000, channelCount: 1)

    private func packet(_ start: Int64, trimStart: Int64 = 0) -> AudioPacket {
        var packet = AudioPacket(
            payload: ByteMemory([0]),
            offset: 0,
            start: SampleCount(start),
            duration: 960
        )
        packet.trimStart = SampleCount(trimStart)
        return packet
    }

    private func play(
        _ clock: inout PacketClock,
        _ packet: AudioPacket,
        _ frames: Int
    ) -> Duration? {
        let gap = clock.gap(before: packet, at: 48_000)
        clock.wrote(.silence(Self.format, frameCount: frames))
        return gap
    }

    @Test("packets that follow each other have no gap, wherever they begin")
    func without() {
        var clock = PacketClock()
        #expect(self.play(&clock, self.packet(96_000, trimStart: 300), 660) == nil)
        for number in 1..<1000 {
            #expect(self.play(&clock, self.packet(96_000 + 960 * Int64(number)), 960) == nil)
        }
    }

    @Test("missing packets are a gap, reported once")
    func missing() {
        var clock = PacketClock()
        #expect(self.play(&clock, self.packet(0), 960) == nil)
        #expect(self.play(&clock, self.packet(960 + 144_000), 960) == .seconds(3))
        #expect(self.play(&clock, self.packet(1920 + 144_000), 960) == nil)
        clock.restart()
        #expect(self.play(&clock, self.packet(0), 960) == nil)
    }

    @Test("a single step of a container's clock is not a gap; small steps that add up are")
    func steps() {
        var clock = PacketClock()
        var gaps = 0
        for number in 0..<100
        // Each packet starts a millisecond after the end of the one before.
        where self.play(&clock, self.packet(1008 * Int64(number)), 960) != nil { gaps += 1 }
        #expect(gaps == 4)
    }
}
