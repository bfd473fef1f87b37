// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP
import WeirNIOTransport
import WeirProxy
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("A playlist whose text changes", .timeLimit(.minutes(1)))
struct PlaylistChangesTests {
    private let clock = ManualClock()
    private let scene = PlaylistScene()
    private var server: PlaylistServer { self.scene.server }
    private static let address = "8.8.8.8/v/film.m3u8"

    private func media(_ library: MediaLibrary) throws -> Media {
        try library.media(#require(URL(string: "http://\(Self.address)")))
    }

    /// A library that measures the time between two loads by the clock of the test.
    private func library(
        _ change: (inout MediaLibrary.Configuration) -> Void = { _ in }
    ) throws -> MediaLibrary {
        try self.scene.library {
            $0.playlistClock = self.clock
            change(&$0)
        }
    }

    private func text(_ media: Media) async throws -> String {
        try await PlaylistScene.text(media, at: "/o/v/film.m3u8")
    }

    private func play(_ media: Media) async throws -> [String] {
        let text = try await self.text(media)
        var bodies: [String] = []
        for address in PlaylistScene.addresses(text) {
            let item = try #require(PlaylistScene.item(address, below: media))
            bodies.append(String(decoding: try await PlaylistScene.bytes(item), as: UTF8.self))
        }
        return bodies
    }

    private func serve(_ version: Int, _ duration: String, comment: String = "") {
        self.server[Self.address] = .text(
            "#EXTM3U\n#EXT-X-TARGETDURATION:9\n\(comment)#EXTINF:\(duration),\n0.ts\n#EXT-X-ENDLIST\n",
            ["ETag": "\"\(version)\""]
        )
        self.server["8.8.8.8/v/0.ts"] = .text("version \(version)")
    }

    @Test("with other durations leads to other segments, even under the same addresses")
    func otherDurations() async throws {
        self.serve(1, "4")
        let first = try self.library { $0.load.revalidation = .always }
        #expect(try await self.play(self.media(first)) == ["version 1"])
        self.serve(2, "5")
        #expect(try await self.play(self.media(first)) == ["version 2"])
        await first.close()
        // A later process knows the version of the segments from the stored text.
        let second = try self.library { $0.isOffline = true }
        #expect(try await self.play(self.media(second)) == ["version 2"])
        await second.close()
        #expect(self.server.count("/v/0.ts") == 2)
    }

    @Test("in a comment alone keeps its segments")
    func comment() async throws {
        self.serve(1, "4")
        let library = try self.library { $0.load.revalidation = .always }
        #expect(try await self.play(self.media(library)) == ["version 1"])
        self.serve(2, "4", comment: "# made today\n")
        self.server["8.8.8.8/v/0.ts"] = .text("version 1")
        #expect(try await self.play(self.media(library)) == ["version 1"])
        await library.close()
        #expect(self.server.count("/v/0.ts") <= 2)
    }

    private func serveLive(
        _ first: Int,
        _ name: String,
        isEvent: Bool = false,
        isEnded: Bool = false
    ) {
        let type = isEvent ? "#EXT-X-PLAYLIST-TYPE:EVENT\n" : ""
        let end = isEnded ? "#EXT-X-ENDLIST\n" : ""
        self.server[Self.address] = .text(
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(first)\n\(type)#EXTINF:1,\n\(name).ts\n\(end)"
        )
    }

    @Test("that has ended as an event is kept, and plays without its origin")
    func event() async throws {
        self.serveLive(0, "a", isEvent: true)
        self.server["8.8.8.8/v/a.ts"] = .text("a")
        let library = try self.library()
        let media = try self.media(library)
        #expect(try await self.play(media) == ["a"])
        self.serveLive(0, "a", isEvent: true, isEnded: true)
        self.clock.advance(by: .seconds(1))
        #expect(try await self.text(media).contains("ENDLIST"))
        #expect(try await self.play(media) == ["a"])
        await library.close()
        let count = self.server.requests.count
        let second = try self.library { $0.isOffline = true }
        #expect(try await self.play(self.media(second)) == ["a"])
        await second.close()
        #expect(self.server.requests.count == count)
    }

    @Test("whose numbers begin again leads to other segments under the same names")
    func restarted() async throws {
        self.serveLive(50, "a")
        self.server["8.8.8.8/v/a.ts"] = .text("before", ["ETag": "\"1\""])
        let library = try self.library { $0.load.revalidation = .never }
        let media = try self.media(library)
        #expect(try await self.play(media) == ["before"])
        self.serveLive(0, "a")
        self.server["8.8.8.8/v/a.ts"] = .text("after", ["ETag": "\"2\""])
        self.clock.advance(by: .seconds(1))
        #expect(try await self.text(media).contains("SEQUENCE:0"))
        #expect(try await self.play(media) == ["after"])
        await library.close()
    }

    @Test("has segments that move out of its window, which a slow player still gets")
    func slowPlayer() async throws {
        self.serveLive(7, "a")
        self.server["8.8.8.8/v/a.ts"] = .text("a")
        let library = try self.library()
        let media = try self.media(library)
        let text = try await self.text(media)
        self.serveLive(8, "b")
        self.clock.advance(by: .seconds(1))
        #expect(try await self.text(media).contains("SEQUENCE:8"))
        let address = try #require(PlaylistScene.addresses(text).first)
        let item = try #require(PlaylistScene.item(address, below: media))
        #expect(String(decoding: try await PlaylistScene.bytes(item), as: UTF8.self) == "a")
        await library.close()
    }

    @Test("is loaded once for all processes of a cache folder")
    func shared() async throws {
        func serve(_ number: Int) {
            // The time of the cache folder is real, and no machine needs an hour for this test.
            self.server[Self.address] = .text(
                "#EXTM3U\n#EXT-X-TARGETDURATION:3600\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
                    + "#EXTINF:3600,\n\(number).ts?token=\(number)\n"
            )
            self.server["8.8.8.8/v/\(number).ts?token=\(number)"] = .text("\(number)")
        }
        serve(0)
        let libraries = try [self.library(), self.library()]
        let media = try libraries.map { try self.media($0) }
        for one in media { #expect(try await self.play(one) == ["0"]) }
        for number in 1...5 {
            serve(number)
            let count = self.server.count("/v/film.m3u8")
            self.clock.advance(by: .seconds(3600))
            for one in media { #expect(try await self.play(one) == ["\(number)"]) }
            #expect(self.server.count("/v/film.m3u8") == count + 1)
            #expect(self.server.count("/v/\(number).ts") == 1)
        }
        for library in libraries { await library.close() }
    }

    @Test("that is bare before its stream begins is asked for again")
    func bare() async throws {
        self.server[Self.address] = .text("#EXTM3U\n")
        let library = try self.library()
        let media = try self.media(library)
        #expect(try await self.text(media) == "#EXTM3U\n")
        self.serveLive(7, "a")
        self.server["8.8.8.8/v/a.ts"] = .text("a")
        #expect(try await self.play(media) == ["a"])
        await library.close()
    }

    @Test("with signatures in the paths goes on by number after one reload")
    func signedPaths() async throws {
        func serve(_ token: String) {
            self.server[Self.address] = .text(
                "#EXTM3U\n#EXT-X-TARGETDURATION:9\n"
                    + (0...3).map { "#EXTINF:4,\n\(token)/\($0).ts\n" }.joined()
                    + "#EXT-X-ENDLIST\n"
            )
            for number in 0...3 {
                self.server["8.8.8.8/v/\(token)/\(number).ts"] = .text("segment \(number)")
            }
        }
        serve("t1")
        let library = try self.library()
        let media = try self.media(library)
        let text = try await self.text(media)
        serve("t2")
        for number in 0...3 { self.server["8.8.8.8/v/t1/\(number).ts"] = .init(status: 403) }
        for (number, address) in PlaylistScene.addresses(text).enumerated() {
            let item = try #require(PlaylistScene.item(address, below: media))
            let bytes = try await PlaylistScene.bytes(item)
            #expect(String(decoding: bytes, as: UTF8.self) == "segment \(number)")
        }
        await library.close()
        #expect(self.server.count("/v/film.m3u8") == 2)
    }

    @Test("that was replaced leads to no other segment under an address of the former text")
    func inserted() async throws {
        func serve(_ names: [String], _ token: String) {
            self.server[Self.address] = .text(
                "#EXTM3U\n#EXT-X-TARGETDURATION:9\n"
                    + names.map { "#EXTINF:4,\n\($0).ts?token=\(token)\n" }.joined()
                    + "#EXT-X-ENDLIST\n"
            )
            for name in names { self.server["8.8.8.8/v/\(name).ts?token=\(token)"] = .text(name) }
        }
        serve(["a", "b", "c"], "1")
        let library = try self.library()
        let media = try self.media(library)
        let text = try await self.text(media)
        serve(["ad", "a", "b", "c"], "2")
        for name in ["a", "b", "c"] {
            self.server["8.8.8.8/v/\(name).ts?token=1"] = .init(status: 403)
        }
        for (name, address) in zip(["a", "b", "c"], PlaylistScene.addresses(text)) {
            let item = try #require(PlaylistScene.item(address, below: media))
            guard let bytes = try? await PlaylistScene.bytes(item) else { continue }
            #expect(String(decoding: bytes, as: UTF8.self) == name)
        }
        await library.close()
    }

    // MARK: Parts and the proxy

    @Test("of one file names parts, and an open range through the proxy ends with its part")
    func parts() async throws {
        self.server[Self.address] = .text(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MAP:URI="all.mp4",BYTERANGE="10@0"
            #EXTINF:4,
            #EXT-X-BYTERANGE:20@10
            all.mp4
            #EXTINF:4,
            #EXT-X-BYTERANGE:20
            all.mp4
            #EXT-X-ENDLIST

            """
        )
        self.server["8.8.8.8/v/all.mp4"] = .init(body: Array(0..<60))
        let library = try self.library()
        let proxy = try await MediaProxy.start()
        let url = try await proxy.publish(self.media(library))
        let client = try NIOTransport(NIOTransport.Options(proxies: ProxySettings.none))
        let list = try await Self.answer(url.absoluteString, [:], over: client)
        let address = try #require(
            PlaylistScene.addresses(String(decoding: list.body, as: UTF8.self)).first
        )
        let item = url.deletingLastPathComponent().absoluteString + address
        for (range, expected) in [
            ("bytes=10-", 10..<30), ("bytes=35-", 35..<50), ("bytes=0-", 0..<10),
            ("bytes=5-24", 5..<25), ("bytes=55-", 55..<60),
        ] {
            let answer = try await Self.answer(item, ["Range": range], over: client)
            #expect(answer.status == 206)
            #expect(answer.body == expected.map { UInt8($0) }, "\(range)")
            #expect(
                answer.range == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/60"
            )
        }
        #expect(try await Self.answer(item, [:], over: client).body.count == 60)
        let forged = item.replacing("~hls/~", with: "~hls/~A")
        #expect(try await Self.answer(forged, [:], over: client).status == 404)
        await client.shutdown()
        await proxy.close()
        await library.close()
    }

    private static func answer(
        _ url: String,
        _ headers: [String: String],
        over client: NIOTransport
    ) async throws -> (status: Int, range: String?, body: [UInt8]) {
        let response = try await client.send(
            HTTPTransportRequest(url: OriginURL(url), headers: HTTPHeaderList(headers))
        )
        var body: [UInt8] = []
        while let memory = try await response.body.next() { body += memory.array }
        return (response.status, response.headers["Content-Range"], body)
    }
}
