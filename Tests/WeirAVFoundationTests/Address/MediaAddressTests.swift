// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirPlayerSimulation
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("The address of a medium")
struct MediaAddressTests {
    @Test(
        "defect 9: any medium's name gives a legal scheme and address, and neither shows the medium's URL",
        arguments: [
            "Song_one.mp3", "Лето в городе.mp3", "a b%20c#d?e&f.mp3", "../../etc/passwd", "",
            "…", ".mp3", "name.", String(repeating: "x", count: 400), "a//b:c@d.mp3",
        ]
    )
    func legal(_ name: String) throws {
        let address = MediaAddress(id: "5f0c-1", name: name, type: .mpegAudio)
        let url = try #require(URL(string: address.description))
        // RFC 3986 §3.1 and §3.3.
        #expect(url.scheme == MediaAddress.scheme)
        #expect(
            address.description.wholeMatch(
                of: /[a-z][a-z0-9+.\-]*:\/\/[a-z0-9\-]+\/[A-Za-z0-9_\-]+\.mp3/
            ) != nil
        )
        #expect(url.absoluteString == address.description)
        #expect(url.pathExtension == "mp3")
        #expect(address.description.utf8.count < 120)
        #expect(MediaAddress.id(in: url.absoluteString) == "5f0c-1")
    }

    @Test("the extension follows the true type, whatever the file's name is")
    func trueType() {
        func name(_ name: String?, _ type: MediaType?) -> String {
            MediaAddress(id: "1", name: name, type: type).fileName
        }
        #expect(name("film.bin", .mp4Video) == "film-bin.mp4")
        #expect(name("film.mp4", .mpegAudio) == "film.mp3")
        #expect(name("film.M4V", .mp4Video) == "film.m4v")
        #expect(name("film", .quickTime) == "film.mov")
        #expect(name("film.mov", nil) == "film.mov")
        #expect(name(nil, .flac) == "media.flac")
        #expect(name(nil, nil) == "media")
    }

    @Test("only an address with Weir's scheme and an identifier is recognised")
    func foreign() {
        #expect(MediaAddress.id(in: "https://origin.example/5f0c-1/a.mp3") == nil)
        #expect(MediaAddress.id(in: "weir-media:///a.mp3") == nil)
        #expect(MediaAddress.id(in: "WEIR-MEDIA://5F0C-1/a.mp3") == "5f0c-1")
    }

    @Test("a registry finds a loader while the loader lives, and keeps two media of one name apart")
    func registry() async throws {
        let registry = MediaRegistry()
        let one = AssetLoader.over(MemorySource(bytes: [1]))
        var two: AssetLoader? = AssetLoader.over(MemorySource(bytes: [2]))
        let first = registry.register(one, name: "a.mp3", type: .mpegAudio)
        let second = registry.register(try #require(two), name: "a.mp3", type: .mpegAudio)
        #expect(first != second)
        #expect(registry.loader(of: first.description) === one)
        #expect(registry.loader(of: second.description) === two)
        two = nil
        #expect(registry.loader(of: second.description) == nil)
        registry.remove(first)
        #expect(registry.loader(of: first.description) == nil)
        registry.remove(second)
        #expect(registry.count == 0)
    }
}
