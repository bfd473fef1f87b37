// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Yandex.Disk")
struct YandexDiskTests {
    private static let file = """
        {"name":"a.mp3","type":"file","size":5,"md5":"00112233445566778899aabbccddeeff",\
        "file":"https://downloader.test/disk/s3cret/6689d1ca/x?fsize=5"}
        """

    private func disk(_ transport: AnsweringTransport, root: FolderPath = .root) throws
        -> YandexDisk
    {
        YandexDisk(
            name: "yandex",
            credentials: FixedCredential(token: "t"),
            root: root,
            api: try OriginURL("https://cloud-api.test/"),
            client: transport.client,
            now: { 0x6689_D1CA - 100 }
        )
    }

    private func arguments(_ request: HTTPTransportRequest?) -> [String: String] {
        var arguments: [String: String] = [:]
        for part in (request?.url.query ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1)
            arguments[String(pair[0])] = PercentCoding.decoded(pair[1])
        }
        return arguments
    }

    private static func page(_ names: some Sequence<String>) -> AnsweringTransport.Answer {
        let items = names.map { "{\"name\":\"\($0)\",\"type\":\"file\"}" }.joined(separator: ",")
        return .init(200, [], "{\"type\":\"dir\",\"_embedded\":{\"items\":[\(items)]}}")
    }

    @Test("describes a file and gets its link with one call, with the account's token")
    func locates() async throws {
        let transport = AnsweringTransport { _, _ in
            .init(200, [("Date", "Sat, 06 Jul 2024 23:22:50 GMT")], Self.file)
        }
        let disk = try self.disk(transport)
        let found = try await disk.locate(try FolderPath("/a.mp3"), range: .whole, after: nil)
        #expect(found.location.url.host == "downloader.test" && found.location.headers.isEmpty)
        #expect(found.location.entityTag == "00112233445566778899aabbccddeeff")
        #expect(found.location.resource?.length == 5 && found.location.hidesPath)
        let request = try #require(transport.requests.value.first)
        #expect(request.headers["Authorization"] == "OAuth t")
        #expect(request.url.path == "/v1/disk/resources")
        #expect(self.arguments(request)["path"] == "disk:/a.mp3")
        #expect(transport.requests.value.count == 1)
    }

    @Test(
        "measures a link's lifetime by the service's Date, or by the local clock without one"
    )
    func measuresLife() async throws {
        let dated = AnsweringTransport { _, _ in
            .init(200, [("Date", "Sat, 06 Jul 2024 23:22:50 GMT")], Self.file)
        }
        let path = try FolderPath("a.mp3")
        let theirs = try await self.disk(dated).locate(path, range: .whole, after: nil)
        #expect(theirs.validity == .lifetime(.zero))
        let undated = AnsweringTransport { _, _ in .init(200, [], Self.file) }
        let ours = try await self.disk(undated).locate(path, range: .whole, after: nil)
        #expect(ours.validity == .lifetime(.seconds(100)))
    }

    @Test("asks for a link if the description has no link")
    func asksForLink() async throws {
        let transport = AnsweringTransport { request, _ in
            request.url.path.hasSuffix("/download")
                ? .init(200, [], "{\"href\":\"https://d.test/x\",\"method\":\"GET\"}")
                : .init(200, [], "{\"type\":\"file\",\"name\":\"a\"}")
        }
        let found = try await self.disk(transport).locate(
            try FolderPath("a"),
            range: .whole,
            after: nil
        )
        #expect(found.location.url.host == "d.test" && found.validity == .untilRefused)
        #expect(self.arguments(transport.requests.value.last)["path"] == "disk:/a")
    }

    @Test("says that a folder has no bytes and a file no entries")
    func tellsKinds() async throws {
        let folder = AnsweringTransport { _, _ in Self.page([]) }
        let noBytes = await thrownError {
            _ = try await self.disk(folder).locate(.root, range: .whole, after: nil)
        }
        #expect(noBytes?.code == .invalidRequest && noBytes?.message.contains("folder") == true)
        let file = AnsweringTransport { _, _ in .init(200, [], Self.file) }
        let noEntries = await thrownError {
            for try await _ in try self.disk(file).list(.root) {}
        }
        #expect(noEntries?.code == .invalidRequest)
        for body in ["<html>", "{\"type\":\"dir\"}", "{\"type\":\"dir\",\"_embedded\":{}}"] {
            let odd = AnsweringTransport { _, _ in .init(200, [], body) }
            let error = await thrownError { for try await _ in try self.disk(odd).list(.root) {} }
            #expect(error?.code == .badAnswer)
        }
    }

    @Test("lists a name that is not one line of text in escaped form, and asks for its own bytes")
    func listsLines() async throws {
        let body = """
            {"type":"dir","_embedded":{"items":[{"type":"file","name":"a\\nb\\t.mp3"},\
            {"type":"file","name":"back\\\\slash.mp3"},{"type":"file","name":".."}]}}
            """
        let listing = AnsweringTransport { _, _ in .init(200, [], body) }
        var names: [String] = []
        for try await page in try self.disk(listing).list(.root) { names += page.map(\.name) }
        #expect(names == ["a\\x0Ab\\x09.mp3", "back\\slash.mp3"])
        let transport = AnsweringTransport { _, _ in .init(200, [], Self.file) }
        for name in names {
            _ = try await self.disk(transport).describe(try FolderPath.root.appending(name))
        }
        let asked = transport.requests.value.map { self.arguments($0)["path"] }
        #expect(asked == ["disk:/a\nb\t.mp3", "disk:/back\\slash.mp3"])
    }

    @Test(
        "sends a path unchanged, whatever characters it has",
        arguments: [
            "a:b.mp3", "1+1=2 & 100%.mp3", "#1?.mp3", "Ä ё 音.mp3", "%41.mp3", "disk:", "a\"'\\",
        ]
    )
    func namesPaths(_ name: String) async throws {
        let transport = AnsweringTransport { _, _ in .init(200, [], Self.file) }
        let path = try FolderPath("/Mu sic/\(name)")
        _ = try await self.disk(transport).describe(path)
        let rooted = try self.disk(transport, root: try FolderPath("/root/"))
        _ = try await rooted.describe(path)
        let open = YandexDisk(
            name: "shared",
            publicKey: "https://disk.yandex.ru/d/x+y",
            api: try OriginURL("https://cloud-api.test/base/"),
            client: transport.client
        )
        _ = try await open.describe(path)
        let asked = transport.requests.value.map(self.arguments)
        #expect(asked[0]["path"] == "disk:/Mu sic/\(name)")
        #expect(asked[1]["path"] == "disk:/root/Mu sic/\(name)")
        #expect(asked[2]["path"] == "/Mu sic/\(name)")
        #expect(asked[2]["public_key"] == "https://disk.yandex.ru/d/x+y")
        let last = try #require(transport.requests.value.last)
        #expect(last.url.path == "/base/v1/disk/public/resources")
        #expect(last.headers["Authorization"] == nil && !open.credentialScope.hasCredential)
        #expect(rooted.identity(of: path) == "yandex-disk:/root/Mu sic/\(name)")
        #expect(open.identity(of: path) != rooted.identity(of: path))
        #expect(rooted.displayName(of: path) == "yandex:/Mu sic/\(name)")
    }

    @Test("lists a hundred pages, one at a time, and stops at a short one")
    func listsPages() async throws {
        let transport = AnsweringTransport { request, _ in
            let offset = Int(
                request.url.query?.split(separator: "&").first { $0.hasPrefix("offset=") }?
                    .dropFirst(7) ?? ""
            )
            let start = offset ?? -1
            return Self.page((start..<min(start + 200, 19_990)).map { "\($0).mp3" })
        }
        var (next, count) = (0, 0)
        for try await page in try self.disk(transport).list(.root) {
            count += 1
            // The next page is requested only when the reader needs it, so memory holds one page at
            // most.
            #expect(transport.requests.value.count == count)
            let isInOrder = page.enumerated().allSatisfy { $1.name == "\(next + $0).mp3" }
            #expect(isInOrder)
            next += page.count
        }
        #expect(next == 19_990 && count == 100)
    }

    @Test("does not list the same page for ever")
    func endsRepetition() async throws {
        let transport = AnsweringTransport { _, _ in Self.page((0..<200).map { "\($0).mp3" }) }
        let error = await thrownError {
            for try await _ in try self.disk(transport).list(.root) {}
        }
        #expect(error?.code == .badAnswer && transport.requests.value.count == 2)
    }

    @Test("lists no entry whose name leads elsewhere")
    func listsNames() async throws {
        let transport = AnsweringTransport { _, _ in
            Self.page(["..", ".", "", "a/b", "../x", "a\\u0000b", "a\\u001b[31m", "good"])
        }
        var names: [String] = []
        for try await page in try self.disk(transport).list(.root) { names += page.map(\.name) }
        #expect(names == ["a\\x1B[31m", "good"])
    }

    @Test("counts a refused link, or one with a repeated failure, as expired")
    func rules() async throws {
        let disk = try self.disk(AnsweringTransport { _, _ in .init(500) })
        let location = OriginLocation(url: try OriginURL("https://d.test/x"))
        for (status, repetition, isAnew) in [
            (401, 1, true), (403, 1, true), (404, 1, true), (410, 1, true), (500, 1, false),
            (500, 2, true), (503, 2, false), (429, 1, false), (400, 1, false),
        ] {
            let refusal = OriginFailure(
                location: location,
                isDirect: true,
                status: status,
                headers: HTTPHeaderList(),
                body: [],
                repetition: repetition
            )
            let ruling = await disk.ruling(on: refusal, about: .root)
            switch ruling {
            case .locateAnew: #expect(isAnew)
            case .standard: #expect(!isAnew)
            default: Issue.record("\(status)")
            }
        }
    }
}
