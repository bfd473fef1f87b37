// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Describing an origin", .timeLimit(.minutes(1)))
struct HTTPOriginDescribeTests {
    @Test("requests the first 512 bytes, and reads them so that the connection can be used again")
    func asksForFirstBytes() async throws {
        let file = ScriptedFile(headers: [
            ("ETag", "\"v1\""), ("Content-Type", "audio/ogg; codecs=opus"),
            ("Content-Disposition", "attachment; filename=\"Other Name.opus\""),
        ])
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let description = try await makeOrigin(transport: transport).describe()
        #expect(description.length == 10_000)
        #expect(description.mediaType?.essence == "audio/ogg")
        #expect(description.name == "Other Name.opus")
        #expect(transport.ranges == ["bytes=0-511"])
        #expect(transport.bodies[0].state.value.hasEnded)
    }

    @Test("drops a whole body as soon as the head has arrived")
    func leavesWhole() async throws {
        var file = ScriptedFile()
        file.answersRanges = false
        let transport = ScriptedTransport { [file] request, _ in file.reply(to: request) }
        let description = try await makeOrigin(transport: transport).describe()
        #expect(description.length == 10_000 && description.acceptsRanges == false)
        #expect(transport.bodies[0].state.value.isCancelled)
        #expect(transport.bodies[0].state.value.handedOut == 0)
    }

    @Test("requests the whole if a range is not understood", arguments: [400, 416, 501])
    func asksForWhole(_ status: Int) async throws {
        let transport = ScriptedTransport(
            .answer(status),
            .answer(200, [("Content-Length", "9")], [1, 2, 3])
        )
        let description = try await makeOrigin(transport: transport).describe()
        #expect(description.length == 9)
        #expect(transport.ranges == ["bytes=0-511", nil])
        #expect(transport.bodies[1].state.value.isCancelled)
    }

    @Test("recognises an empty file by its 416")
    func knowsEmptyFile() async throws {
        let transport = ScriptedTransport(.answer(416, [("Content-Range", "bytes */0")]))
        let description = try await makeOrigin(transport: transport).describe()
        #expect(description.length == 0)
        #expect(transport.requests.count == 1)
    }

    @Test(
        "fails with one sentence that says what to do",
        arguments: [
            (401, .unauthorized, "check that it is valid"), (403, .forbidden, "get a new link"),
            (404, .notFound, "check the address"), (410, .notFound, "get a new link"),
            (507, .originFailed, "try again later"),
        ] as [(Int, SourceError.Code, String)]
    )
    func failsClearly(_ status: Int, _ code: SourceError.Code, _ advice: String) async throws {
        let page = Array("<html>error</html>".utf8)
        let transport = ScriptedTransport(.answer(status, [("Content-Type", "text/html")], page))
        var options = plainOptions
        options.headers.append(try HTTPHeader(parsing: "Authorization: s3cret"))
        let origin = try makeOrigin(
            "https://u:s3cret@media.test/a.mp3?sig=s3cret",
            transport: transport,
            options: options
        )
        let error = try #require(await sourceError { _ = try await origin.describe() })
        #expect(error.code == code && error.status == status && error.host == "media.test")
        #expect(error.message.contains("https://media.test/a.mp3"))
        #expect(error.message.contains("\(status)") && error.message.contains(advice))
        #expect(!error.message.dropLast().contains(". "))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect(transport.requests.count == 1)
        #expect(transport.bodies[0].state.value.isCancelled)
    }

    @Test("does not accept a page as media")
    func takesNoPage() async throws {
        let page = Array("<!DOCTYPE html>\n<html><body>Sign in</body></html>".utf8)
        let fields = [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", "\(page.count)"),
        ]
        let transport = ScriptedTransport(.answer(200, fields, page))
        let origin = try makeOrigin(transport: transport)
        let error = await sourceError { _ = try await origin.describe() }
        #expect(error?.code == .notMedia)
        #expect(
            error?.message
                == "https://media.test/folder/song.mp3 sent an HTML page where media was expected; open it"
                + " in a browser and read it, it may ask you to sign in."
        )
    }
}
