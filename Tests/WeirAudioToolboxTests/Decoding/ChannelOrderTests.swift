// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio

@testable import WeirAudioToolbox

@Suite("The order of channels")
struct ChannelOrderTests {
    private func format(_ codec: AudioCodec, _ configuration: [UInt8] = []) -> AudioFormat {
        var format = AudioFormat(container: .mp4, codec: codec, sampleRate: 48_000, channelCount: 6)
        format.configuration = configuration
        return format
    }

    @Test("each order moves every channel to one position", arguments: 1...9)
    func permutations(_ channels: Int) {
        for codec in [AudioCodec.aac(objectType: 2), .alac, .opus, .flac, .mpegLayer(3)] {
            for configuration in [[], [0x12, 0x60]] as [[UInt8]] {
                let format = self.format(codec, configuration)
                guard let order = ChannelOrder.source(of: format, channelCount: channels) else {
                    continue
                }
                #expect(order.sorted() == Array(0..<channels))
            }
        }
    }

    @Test("5.1 of AAC, of Opus and of FLAC gets the order of WAVE")
    func surround() throws {
        let wave: [Float] = [1, 2, 3, 4, 5, 6]
        let stored: [(AudioCodec, [Float])] = [
            (.aac(objectType: 2), [3, 1, 2, 5, 6, 4]), (.opus, [1, 3, 2, 5, 6, 4]),
        ]
        for (codec, frame) in stored {
            let order = try #require(ChannelOrder.source(of: self.format(codec), channelCount: 6))
            var samples = frame + frame
            ChannelOrder.arrange(&samples, by: order)
            #expect(samples == wave + wave)
        }
        #expect(ChannelOrder.source(of: self.format(.flac), channelCount: 6) == nil)
        #expect(ChannelOrder.source(of: self.format(.aac(objectType: 2)), channelCount: 2) == nil)
    }

    @Test("eight channels of AAC follow the configuration: wide in front, or behind")
    func eight() {
        let front = self.format(.aac(objectType: 2), [0x11, 0xB8])
        let back = self.format(.aac(objectType: 2), [0x11, 0xE0])
        #expect(ChannelOrder.source(of: front, channelCount: 8) == [3, 4, 0, 7, 5, 6, 1, 2])
        #expect(ChannelOrder.source(of: back, channelCount: 8) == [1, 2, 0, 7, 5, 6, 3, 4])
    }

    @Test("an incomplete frame stays as it is")
    func incomplete() {
        var samples: [Float] = [1, 2, 3, 4]
        ChannelOrder.arrange(&samples, by: [2, 1, 0])
        #expect(samples == [1, 2, 3, 4])
        ChannelOrder.arrange(&samples, by: [])
        #expect(samples == [1, 2, 3, 4])
    }
}
