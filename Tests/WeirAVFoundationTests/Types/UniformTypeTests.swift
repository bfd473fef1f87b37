// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirAVFoundation

@Suite("Uniform types")
struct UniformTypeTests {
    @Test(
        "every format that Apple's systems play has its identifier",
        arguments: [
            (MediaType.mpegAudio, "public.mp3"), (.mp4Video, "public.mpeg-4"),
            (.mp4Audio, "com.apple.m4a-audio"), (.quickTime, "com.apple.quicktime-movie"),
            (.wav, "com.microsoft.waveform-audio"), (.flac, "org.xiph.flac"),
            (.aac, "public.aac-audio"), (.aiff, "public.aiff-audio"),
            (.caf, "com.apple.coreaudio-format"),
            (.mpegTransportStream, "public.mpeg-2-transport-stream"),
        ]
    )
    func names(_ type: MediaType, _ identifier: String) {
        #expect(UniformType.names(of: type).first?.identifier == identifier)
    }

    @Test("an alias of a media type gives the same identifier")
    func alias() throws {
        let type = try #require(MediaType(headerValue: "audio/x-mp3"))
        #expect(UniformType.names(of: type).first?.identifier == "public.mp3")
    }

    @Test("the first accepted name of the type is used, and a type without one is refused")
    func allowed() throws {
        #expect(
            try UniformType.name(of: .mp4Audio, outOf: ["public.mp3", "public.mpeg-4-audio"])?
                .identifier == "public.mpeg-4-audio"
        )
        #expect(try UniformType.name(of: .mp4Audio, outOf: [])?.identifier == "com.apple.m4a-audio")
        #expect(throws: LoadingFailure.self) {
            try UniformType.name(of: .mpegAudio, outOf: ["public.mpeg-4"])
        }
        // For a type that is unknown or has no name in the list, the media system inspects the bytes itself.
        #expect(try UniformType.name(of: nil, outOf: ["public.mp3"]) == nil)
        #expect(try UniformType.name(of: .monkeysAudio, outOf: ["public.mp3"]) == nil)
    }
}
