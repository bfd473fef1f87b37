// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("A medium that is an HLS playlist", .timeLimit(.minutes(1)))
struct PlaylistMediaTests {
    private let scene = PlaylistScene()
    private var server: PlaylistServer { self.scene.server }

    /// The address of the film.
    private var url: URL { get throws { try Self.url("http://8.8.8.8/v/film.m3u8") } }

    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private static func list(_ lines: String...) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + lines.joined(separator: "\n") + "\n"
    }

    private static func film(_ suffix: String = "") -> String {
        self.list("#EXTINF:4,", "0.ts\(suffix)", "#EXTINF:4,", "1.ts\(suffix)", "#EXT-X-ENDLIST")
    }

    private func serveFilm(_ suffix: String = "", _ fields: [String: String] = ["ETag": "\"1\""]) {
        self.server["8.8.8.8/v/film.m3u8"] = .text(Self.film(suffix), fields)
        for number in 0...1 {
            self.server["8.8.8.8/v/\(number).ts\(suffix)"] = .text("segment \(number)")
        }
    }

    private func play(_ media: Media, at target: String = "/o/v/film.m3u8") async throws -> [String]
    {
        let text = try await PlaylistScene.text(media, at: target)
        var bodies: [String] = []
        for address in PlaylistScene.addresses(text) {
            let item = try #require(PlaylistScene.item(address, below: media))
            bodies.append(String(decoding: try await PlaylistScene.bytes(item), as: UTF8.self))
        }
        return bodies
    }

    @Test("is played through local addresses, and each item is fetched once")
    func film() async throws {
        self.serveFilm()
        let library = try self.scene.library()
        let media = try library.media(self.url)
        for _ in 0..<3 {
            #expect(try await self.play(media) == ["segment 0", "segment 1"])
        }
        #expect(self.server.addresses() == ["/v/film.m3u8", "/v/0.ts", "/v/1.ts"])
        #expect(media.isPlaylist)
        let description = try await media.describe()
        #expect(description.mediaType == .hlsPlaylist)
        await library.close()
    }

    @Test("is played by another process without its origin, by the addresses of the first")
    func withoutOrigin() async throws {
        self.serveFilm()
        let first = try self.scene.library()
        let text = try await PlaylistScene.text(first.media(self.url), at: "/o/v/film.m3u8")
        #expect(try await self.play(first.media(self.url)).count == 2)
        await first.close()
        let count = self.server.requests.count
        let second = try self.scene.library { $0.isOffline = true }
        let media = try second.media(self.url)
        for (number, address) in PlaylistScene.addresses(text).enumerated() {
            let item = try #require(PlaylistScene.item(address, below: media))
            let bytes = try await PlaylistScene.bytes(item)
            #expect(String(decoding: bytes, as: UTF8.self) == "segment \(number)")
        }
        #expect(try await PlaylistScene.text(media, at: "/o/v/film.m3u8") == text)
        await second.close()
        #expect(self.server.requests.count == count)
    }

    @Test("is confirmed by its entity tag in another process, and its items are not")
    func confirmed() async throws {
        self.serveFilm()
        let first = try self.scene.library()
        _ = try await self.play(first.media(self.url))
        await first.close()
        let second = try self.scene.library { $0.load.revalidation = .always }
        let count = self.server.requests.count
        #expect(try await self.play(second.media(self.url)).count == 2)
        await second.close()
        let requests = self.server.requests.dropFirst(count)
        #expect(requests.map(\.url.path) == ["/v/film.m3u8"])
        #expect(requests.first?.headers["If-None-Match"] == "\"1\"")
    }

    @Test("whose origin sends no validator is compared by its text")
    func withoutValidator() async throws {
        self.serveFilm("", [:])
        let first = try self.scene.library()
        _ = try await self.play(first.media(self.url))
        await first.close()
        let second = try self.scene.library { $0.load.revalidation = .always }
        #expect(try await self.play(second.media(self.url)).count == 2)
        #expect(self.server.count("/v/0.ts") == 1)
        self.server["8.8.8.8/v/film.m3u8"] = .text(
            Self.list("#EXTINF:4,", "2.ts", "#EXT-X-ENDLIST")
        )
        self.server["8.8.8.8/v/2.ts"] = .text("another")
        #expect(try await self.play(second.media(self.url)) == ["another"])
        await second.close()
    }

    @Test("keeps no signature in the cache folder, and none in the text for players")
    func signatures() async throws {
        self.serveFilm("?token=SECRETSIGN&expires=1")
        let library = try self.scene.library()
        let media = try library.media(self.url)
        let text = try await PlaylistScene.text(media, at: "/o/v/film.m3u8")
        #expect(!text.contains("SECRETSIGN") && !text.contains("8.8.8.8"))
        #expect(try await self.play(media).count == 2)
        await library.close()
        let files = try #require(FileManager.default.enumerator(atPath: self.scene.folder.path))
        var count = 0
        for case let name as String in files {
            let data = FileManager.default.contents(atPath: "\(self.scene.folder.path)/\(name)")
            guard let data else { continue }
            count += 1
            #expect(data.firstRange(of: Data("SECRETSIGN".utf8)) == nil, "\(name)")
        }
        #expect(count > 3)
    }

    @Test(
        "reloads its text once after a signature has ended, and goes on",
        arguments: [401, 403, 410]
    )
    func ended(status: Int) async throws {
        self.serveFilm("?token=old")
        let library = try self.scene.library()
        let media = try library.media(self.url)
        let text = try await PlaylistScene.text(media, at: "/o/v/film.m3u8")
        // The first signature ends before a segment is requested.
        self.serveFilm("?token=new")
        for number in 0...1 {
            self.server["8.8.8.8/v/\(number).ts?token=old"] = .init(status: status)
        }
        for (number, address) in PlaylistScene.addresses(text).enumerated() {
            let item = try #require(PlaylistScene.item(address, below: media))
            let bytes = try await PlaylistScene.bytes(item)
            #expect(String(decoding: bytes, as: UTF8.self) == "segment \(number)")
        }
        await library.close()
        #expect(
            self.server.addresses(isShort: false).map { $0.dropFirst("8.8.8.8/v/".count) } == [
                "film.m3u8", "0.ts?token=old", "film.m3u8", "0.ts?token=new", "1.ts?token=new",
            ]
        )
    }

    @Test("reloads its parent once if its own address has ended, too")
    func parentEnded() async throws {
        let master = try Self.url("http://8.8.8.8/v/master.m3u8")
        func serve(_ token: String) {
            self.server["8.8.8.8/v/master.m3u8"] = .text(
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfilm.m3u8?token=\(token)\n"
            )
            self.server["8.8.8.8/v/film.m3u8?token=\(token)"] = .text(Self.film("?token=\(token)"))
            for number in 0...1 {
                self.server["8.8.8.8/v/\(number).ts?token=\(token)"] = .text("segment \(number)")
            }
        }
        serve("old")
        let library = try self.scene.library()
        let media = library.media(master)
        let text = try await PlaylistScene.text(media, at: "/o/v/master.m3u8")
        let address = try #require(PlaylistScene.addresses(text).first)
        let list = try #require(PlaylistScene.item(address, below: media) as? Media)
        let inner = try await PlaylistScene.text(list, at: "/o/v/\(address)")
        serve("new")
        for path in ["film.m3u8", "0.ts", "1.ts"] {
            self.server["8.8.8.8/v/\(path)?token=old"] = .init(status: 403)
        }
        let segment = try #require(PlaylistScene.addresses(inner).first)
        let below = "\(address.dropLast("list.m3u8".count))\(segment)"
        let item = try #require(PlaylistScene.item(below, below: media))
        #expect(String(decoding: try await PlaylistScene.bytes(item), as: UTF8.self) == "segment 0")
        await library.close()
        #expect(self.server.count("/v/master.m3u8") == 2)
        #expect(self.server.count("/v/0.ts") == 2)
    }

    @Test("fails with the origin's refusal if a new text does not help, after two reloads at most")
    func refusedForGood() async throws {
        self.serveFilm("?token=old")
        let library = try self.scene.library()
        let media = try library.media(self.url)
        let text = try await PlaylistScene.text(media, at: "/o/v/film.m3u8")
        self.server["8.8.8.8/v/0.ts?token=old"] = .init(status: 403)
        let address = try #require(PlaylistScene.addresses(text).first)
        let item = try #require(PlaylistScene.item(address, below: media))
        let error = await #expect(throws: SourceError.self) {
            _ = try await PlaylistScene.bytes(item)
        }
        #expect(error?.code == .forbidden && error?.status == 403)
        #expect(self.server.count("/v/film.m3u8") <= 3)
        await library.close()
    }

    @Test("sends credentials to its origin alone, and connects to no private address that it names")
    func hosts() async throws {
        self.server["8.8.8.8/v/film.m3u8"] = .text(
            Self.list(
                "#EXTINF:4,",
                "0.ts",
                "#EXTINF:4,",
                "http://9.9.9.9/1.ts",
                "#EXTINF:4,",
                "http://127.0.0.1/2.ts",
                "#EXTINF:4,",
                "http://192.168.1.1/3.ts",
                "#EXT-X-ENDLIST"
            )
        )
        for address in ["8.8.8.8/v/0.ts", "9.9.9.9/1.ts", "127.0.0.1/2.ts", "192.168.1.1/3.ts"] {
            self.server[address] = .text("segment")
        }
        let library = try self.scene.library { $0.playlistHosts = ["192.168.1.1"] }
        let media = try library.media(self.url, headers: ["Authorization": "Secret"], account: "me")
        let text = try await PlaylistScene.text(media, at: "/o/v/film.m3u8")
        var codes: [SourceError.Code?] = []
        for address in PlaylistScene.addresses(text) {
            let item = try #require(PlaylistScene.item(address, below: media))
            do {
                _ = try await PlaylistScene.bytes(item)
                codes.append(nil)
            } catch let error as SourceError {
                codes.append(error.code)
            }
        }
        #expect(codes == [nil, nil, .forbidden, nil])
        #expect(
            self.server.requests.map(\.url.host) == [
                "8.8.8.8", "8.8.8.8", "9.9.9.9", "192.168.1.1",
            ]
        )
        #expect(
            self.server.requests.map { $0.headers["Authorization"] }
                == ["Secret", "Secret", nil, nil]
        )
        await library.close()
    }

    @Test("refuses a list that names itself, and lists nested over four deep")
    func nesting() async throws {
        for level in 1...6 {
            self.server["8.8.8.8/v/\(level).m3u8"] = .text(
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(level + 1).m3u8\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=2\n\(level).m3u8\n"
            )
        }
        let library = try self.scene.library()
        let media = try library.media(Self.url("http://8.8.8.8/v/1.m3u8"))
        var target = "1.m3u8"
        var list: any ByteSource = media
        var depth = 1
        while true {
            let text = try await PlaylistScene.text(list, at: "/o/v/\(target)")
            let addresses = PlaylistScene.addresses(text)
            let folder = target.dropLast((target.split(separator: "/").last ?? "").count)
            let own = try #require(
                PlaylistScene.item("\(folder)\(addresses[1])", below: media)
            )
            let itself = await #expect(throws: SourceError.self) {
                _ = try await PlaylistScene.bytes(own)
            }
            #expect(itself?.code == .badAnswer)
            target = "\(folder)\(addresses[0])"
            list = try #require(PlaylistScene.item(target, below: media))
            depth += 1
            guard depth > 4 else { continue }
            let error = await #expect(throws: SourceError.self) {
                _ = try await PlaylistScene.bytes(list)
            }
            #expect(error?.code == .badAnswer)
            break
        }
        await library.close()
    }

    @Test(
        "an item with a forged identity, or of another list, does not exist; nothing is requested"
    )
    func forged() async throws {
        self.serveFilm()
        self.server["8.8.8.8/v/other.m3u8"] = .text(Self.film())
        let library = try self.scene.library()
        let media = try library.media(self.url)
        let other = try library.media(Self.url("http://8.8.8.8/v/other.m3u8"))
        let text = try await PlaylistScene.text(media, at: "/o/v/film.m3u8")
        _ = try await PlaylistScene.text(other, at: "/o/v/other.m3u8")
        let count = self.server.requests.count
        let address = try #require(PlaylistScene.addresses(text).first)
        #expect(PlaylistScene.item(address, below: other) == nil)
        #expect(
            PlaylistScene.item(address.replacing("~hls/~", with: "~hls/~A"), below: media)
                == nil
        )
        #expect(self.server.requests.count == count)
        await library.close()
    }

    @Test("a plain M3U, a page and other bytes pass as they are")
    func others() async throws {
        let texts = [
            "#EXTM3U\n#EXTINF:3,Title\nhttp://8.8.8.8/a.mp3?token=x\n", "#EXTM3", "", "ID3 bytes",
        ]
        let library = try self.scene.library()
        for (number, text) in texts.enumerated() {
            self.server["8.8.8.8/\(number).m3u8"] = .text(text)
            let media = try library.media(Self.url("http://8.8.8.8/\(number).m3u8"))
            #expect(try await PlaylistScene.text(media, at: "/o/x") == text)
            #expect(!media.isPlaylist)
        }
        await library.close()
    }

    @Test("a text over a bound is refused with a sentence")
    func bounds() async throws {
        let long = Self.list("#EXT-X-LONG:" + String(repeating: "x", count: 20_000))
        self.server["8.8.8.8/v/film.m3u8"] = .text(long)
        let library = try self.scene.library()
        let error = await #expect(throws: SourceError.self) {
            _ = try await PlaylistScene.text(library.media(self.url), at: "/o/v/film.m3u8")
        }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("16 KiB") == true)
        await library.close()
    }

    @Test("a live text is not stored, and its viewers share a load")
    func live() async throws {
        self.server["8.8.8.8/v/film.m3u8"] = .text(
            Self.list("#EXT-X-MEDIA-SEQUENCE:7", "#EXTINF:4,", "7.ts")
        )
        self.server["8.8.8.8/v/7.ts"] = .text("segment 7", ["ETag": "\"7\""])
        let library = try self.scene.library()
        let media = try library.media(self.url)
        for _ in 0..<5 { #expect(try await self.play(media) == ["segment 7"]) }
        #expect(self.server.count("/v/film.m3u8") <= 2)
        #expect(self.server.count("/v/7.ts") == 1)
        let description = try await media.describe()
        #expect(description.validator == nil)
        let resources = try await library.resources()
        #expect(resources.map(\.display) == ["http://8.8.8.8/v/film.m3u8#hls:7.ts"])
        await library.close()
    }

    @Test("eight viewers that come at once share the first load", arguments: [false, true])
    func firstViewers(isLive: Bool) async throws {
        self.serveFilm()
        if isLive {
            self.server["8.8.8.8/v/film.m3u8"] = .text(Self.list("#EXTINF:4,", "0.ts"))
        }
        let library = try self.scene.library()
        let media = try library.media(self.url)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { try await PlaylistScene.text(media, at: "/o/v/film.m3u8") }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 1)
        #expect(self.server.count("/v/film.m3u8") == 1)
        await library.close()
    }
}
