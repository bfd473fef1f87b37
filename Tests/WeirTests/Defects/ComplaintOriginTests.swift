// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Weir
import WeirCache
import WeirHTTP
import WeirProxy
import WeirTestKit
import WeirTestServers

@Suite("Complaints about other loaders: origins", .timeLimit(.minutes(1)))
struct ComplaintOriginTests {
    @Test("complaint: an origin that fails at HEAD never gets one")
    func head() async throws {
        let file = DefectFile()
        let scene = try await DefectScene { request in
            guard request.method == "GET" else {
                return DefectFile.text(500, "text/plain", "no HEAD")
            }
            return file.answer(request)
        }
        let library = try scene.library()
        let media = try library.media(scene.url())
        let server = try await DefectScene.proxy(media)
        // A player may send a HEAD request to Weir.
        let head = try await PlainClient.ask(server.port, method: "HEAD")
        #expect(head.status == 200)
        #expect(head.fields["content-length"] == "400000")
        let isRight = try await DefectScene.isRight(media, 0..<400_000, of: file.bytes)
        #expect(isRight)
        #expect(scene.origin.requests.allSatisfy { $0.method == "GET" })
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test(
        "complaint: a wrong or missing Content-Type does not prevent playback",
        arguments: [
            "multipart/form-data", "multipart/form-data; boundary=x", "application/octet-stream",
            "text/plain", "application/force-download", "nonsense", nil,
        ]
    )
    func mediaType(_ type: String?) async throws {
        var file = DefectFile(Array("fLaC".utf8) + [0, 0, 0, 34] + DefectFile(length: 9000).bytes)
        file.mediaType = type
        let scene = try await DefectScene(file)
        let library = try scene.library()
        // An address without an extension does not keep the file from playing, either.
        let media = try library.media(scene.url("/stream?id=7"))
        let server = try await DefectScene.proxy(media)
        let probe = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-1"])
        #expect(probe.status == 206)
        #expect(probe.fields["content-type"] == "audio/flac")
        #expect(probe.fields["content-range"] == "bytes 0-1/\(file.bytes.count)")
        let isRight = try await DefectScene.isRight(
            media,
            0..<Int64(file.bytes.count),
            of: file.bytes
        )
        #expect(isRight)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("complaint: an origin that sends less than requested gets a request for the rest")
    func shortPart() async throws {
        let file = DefectFile()
        let scene = try await DefectScene { request in
            file.part(request.range ?? 0..<400_000, limit: 100_000)
        }
        let library = try scene.library()
        let server = try await DefectScene.proxy(try library.media(scene.url()))
        let response = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-"])
        #expect(response.status == 206)
        #expect(response.fields["content-length"] == "400000")
        let isRight = response.body == file.bytes
        #expect(isRight)
        #expect(library.totals.snapshot.receivedBytes == 400_000)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("complaint: a preload past the end gets the existing bytes, and a 416 breaks nothing")
    func pastTheEnd() async throws {
        let length: Int64 = 170_636
        let file = DefectFile(length: length)
        let scene = try await DefectScene(file)
        let library = try scene.library()
        let media = try library.media(scene.url())
        let server = try await DefectScene.proxy(media)
        // The length is not known yet.
        let cold = try await PlainClient.ask(
            server.port,
            fields: ["Range: bytes=\(length)-2097151"]
        )
        #expect(cold.status == 416)
        #expect(cold.fields["content-range"] == "bytes */\(length)")
        let first = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-2097151"])
        #expect(first.status == 206)
        #expect(first.fields["content-range"] == "bytes 0-\(length - 1)/\(length)")
        let isRight = first.body == file.bytes
        #expect(isRight)
        let warm = try await PlainClient.ask(
            server.port,
            fields: ["Range: bytes=\(length)-2097151"]
        )
        #expect(warm.status == 416)
        #expect(await DefectScene.failure(media, .span(length..<2_097_152)) == nil)
        #expect(
            await DefectScene.failure(media, .from(length + 1))?.code == .rangeNotSatisfiable
        )
        #expect(media.availability.isComplete)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("complaint: a signature that changes in the query does not make another resource")
    func signedQuery() async throws {
        let file = DefectFile()
        let scene = try await DefectScene(file)
        let queries = [
            ("X-Amz-Date=1&X-Amz-Signature=a&id=7", "X-Amz-Date=2&X-Amz-Signature=b&id=7"),
            ("id=8&ticket=a", "id=8&ticket=b"),
        ]
        for (old, new) in queries {
            let before = scene.origin.requests.count
            let first = try scene.library { $0.volatileQuery = ["ticket"] }
            let media = try first.media(scene.url("/song.mp3?\(old)"))
            _ = try await DefectScene.isRight(media, 0..<400_000, of: file.bytes)
            await first.close()
            // The origin gets the address unchanged.
            #expect(scene.origin.requests[before].target == "/song.mp3?\(old)")
            let second = try scene.library { $0.volatileQuery = ["ticket"] }
            let again = try second.media(scene.url("/song.mp3?\(new)"))
            let isRight = try await DefectScene.isRight(again, 0..<400_000, of: file.bytes)
            #expect(isRight)
            #expect(second.totals.snapshot.requests == 0, "\(new)")
            await second.close()
        }
        await scene.end()
    }

    @Test(
        "complaint: the target of a redirect is kept, and the redirect is asked again when the target ends",
        arguments: [401, 403, 404, 410]
    )
    func redirect(_ status: Int) async throws {
        let file = DefectFile()
        let links = Mutex(1)
        let scene = try await DefectScene { request in
            let link = "/cdn/\(links.withLock { $0 })"
            switch request.target {
            case "/music/song.mp3": return DefectFile.redirect(to: link)
            case link: return file.answer(request)
            default: return DefectFile.text(status, "text/plain", "expired")
            }
        }
        let agent = try HTTPHeader(parsing: "User-Agent: Player/1")
        let library = try scene.library { $0.origin.headers.append(agent) }
        let media = try library.media(scene.url(), headers: ["X-Token": "t"])
        let ranges: [Range<Int64>] = [0..<100_000, 200_000..<250_000, 300_000..<350_000]
        for range in ranges {
            let isRight = try await DefectScene.isRight(media, range, of: file.bytes)
            #expect(isRight)
        }
        func asked(_ target: String) -> Int {
            scene.origin.requests.count { $0.target == target }
        }
        #expect(asked("/music/song.mp3") == 1)
        links.withLock { $0 = 2 }
        let isRight = try await DefectScene.isRight(media, 0..<400_000, of: file.bytes)
        #expect(isRight)
        #expect(asked("/music/song.mp3") == 2)
        // Redirects within one origin keep the header fields.
        for request in scene.origin.requests {
            #expect(request.headers["user-agent"] == "Player/1")
            #expect(request.headers["x-token"] == "t")
        }
        await library.close()
        await scene.end()
    }

    @Test("complaint: names outside of ASCII and signed addresses reach the origin as they are")
    func names() async throws {
        let file = DefectFile(length: 10_000)
        let scene = try await DefectScene(file)
        let library = try scene.library()
        let addresses = [
            ("/музыка/песня № 1.mp3", "/%D0%BC%D1%83%D0%B7%D1%8B%D0%BA%D0%B0/", "песня № 1.mp3"),
            ("/a_b c.mp3", "/a_b%20c.mp3", "a_b c.mp3"),
            ("/100%25_%23.mp3", "/100%25_%23.mp3", "100%_#.mp3"),
            ("/a%2fb/%7Ec.mp3?s=a%2Bb%3d%3d+/~&t", "/a%2fb/%7Ec.mp3?s=a%2Bb%3d%3d+/~&t", "~c.mp3"),
        ]
        for (given, sent, name) in addresses {
            let media = try library.media(scene.url(given))
            let isRight = try await DefectScene.isRight(media, 0..<10_000, of: file.bytes)
            #expect(isRight, "\(given)")
            #expect(scene.origin.requests.last?.target.hasPrefix(sent) == true, "\(given)")
            #expect(try await media.describe().name == name)
        }
        await library.close()
        await scene.end()
    }

    @Test("complaint: a resource without a length plays to its end, and the end is not guessed")
    func unknownLength() async throws {
        var file = DefectFile()
        file.entityTag = "\"stream\""
        let served = file
        let cuts = Mutex([250_000])
        let scene = try await DefectScene { _ in
            served.chunked(cutAfter: cuts.withLock { $0.popLast() })
        }
        let library = try scene.library()
        let media = try library.media(scene.url("/speech"))
        let server = try await DefectScene.proxy(media)
        // The first response breaks off, which does not mark the end of the resource.
        let response = try await PlainClient.ask(server.port)
        #expect(response.status == 200)
        #expect(response.fields["content-length"] == nil)
        #expect(response.fields["transfer-encoding"] == "chunked")
        #expect(scene.origin.requests.count == 2)
        // Weir now knows the end, and serves the resource like one with a known length.
        let again = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-1"])
        #expect(again.status == 206)
        #expect(again.fields["content-range"] == "bytes 0-1/400000")
        let isRight = try await DefectScene.isRight(media, 0..<400_000, of: served.bytes)
        #expect(isRight)
        #expect(scene.origin.requests.count == 2)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("complaint: a part that arrives in chunks leaves the proxy with its length")
    func chunkedPart() async throws {
        let file = DefectFile()
        let scene = try await DefectScene { request in
            let range = (request.range ?? 0..<400_000).clamped(to: 0..<400_000)
            let part = Array(file.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/400000"
            let head = file.head(206, ["Transfer-Encoding: chunked", "Content-Range: \(place)"])
            return [
                .text(head), .text("\(String(part.count, radix: 16))\r\n"), .bytes(part),
                .text("\r\n0\r\n\r\n"),
            ]
        }
        let library = try scene.library()
        let server = try await DefectScene.proxy(try library.media(scene.url()))
        for (field, count) in [("bytes=0-1", 2), ("bytes=1000-", 399_000), ("bytes=-7", 7)] {
            let response = try await PlainClient.ask(server.port, fields: ["Range: \(field)"])
            #expect(response.status == 206)
            #expect(response.fields["content-length"] == "\(count)")
            #expect(response.fields["transfer-encoding"] == nil)
            #expect(response.body.count == count)
        }
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test(
        "complaint: the answer to the player gives the origin's status, not just the failure",
        arguments: [(401, 401), (403, 403), (404, 404), (410, 410), (500, 502), (503, 502)]
    )
    func status(_ said: Int, _ told: Int) async throws {
        let scene = try await DefectScene { _ in DefectFile.text(said, "text/plain", "no") }
        let library = try scene.library()
        let server = try await DefectScene.proxy(try library.media(scene.url()))
        let response = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-1"])
        #expect(response.status == told)
        #expect(String(decoding: response.body, as: UTF8.self).contains("\(said)"))
        await server.shutdown()
        await library.close()
        await scene.end()
    }
}
