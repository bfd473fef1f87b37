// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirClouds
@testable import WeirHTTP

@Suite("A WebDAV server")
struct WebDAVTests {
    private func server(
        _ transport: AnsweringTransport,
        _ base: String = "https://me:pw@dav.test/files",
        name: String? = nil
    ) throws -> WebDAV {
        WebDAV(name: name, base: try OriginURL(base), authorizer: nil, client: transport.client)
    }

    private static func found(_ href: String, isFolder: Bool) -> AnsweringTransport.Answer {
        .init(
            207,
            [],
            """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(href)</d:href><d:propstat><d:prop>\
            <d:resourcetype>\(isFolder ? "<d:collection/>" : "")</d:resourcetype></d:prop></d:propstat>\
            </d:response></d:multistatus>
            """
        )
    }

    @Test("receives a PROPFIND with the credential of its address, and with an encoded path")
    func asks() async throws {
        let transport = AnsweringTransport { _, _ in
            Self.found("/files/a%3Ab%20%25%23%3F.mp3", isFolder: false)
        }
        let server = try self.server(transport)
        let path = try FolderPath("a:b %#?.mp3")
        #expect(try await server.describe(path).name == "a:b %#?.mp3")
        let request = try #require(transport.requests.value.first)
        #expect(request.method == "PROPFIND" && request.headers["Depth"] == "0")
        #expect(request.headers["Authorization"] == "Basic bWU6cHc=")
        #expect(request.url.requestTarget == "/files/a%3Ab%20%25%23%3F.mp3")
        let shown = "https://dav.test/files/a%3Ab%20%25%23%3F.mp3"
        #expect(server.displayName(of: path) == shown && server.identity(of: path) == shown)
        #expect(try self.server(transport, name: "nas").displayName(of: path) == "nas:/a:b %#?.mp3")
        let location = try await server.locate(path, range: .whole, after: nil).location
        #expect(location.headers["Authorization"] == "Basic bWU6cHc=")
        #expect(location.url.userInfo == nil && location.url.display == shown)
    }

    @Test("receives the bytes of a name that is not text, and a backslash")
    func asksForBytes() async throws {
        let transport = AnsweringTransport { _, _ in
            Self.found("/files/a%0Ab%e9%5Cc.mp3", isFolder: false)
        }
        let server = try self.server(transport)
        let path = try FolderPath("a\\x0Ab\\xE9\\c.mp3")
        #expect(try await server.describe(path).name == "a\\x0Ab\\xE9\\c.mp3")
        let request = try #require(transport.requests.value.first)
        #expect(request.url.requestTarget == "/files/a%0Ab%E9%5Cc.mp3")
        let location = try await server.locate(path, range: .whole, after: nil).location
        #expect(location.url.path == "/files/a%0Ab%E9%5Cc.mp3")
    }

    @Test("receives a password once more that it accepted before and now refuses")
    func asksAgainAfterAcceptance() async throws {
        let path = try FolderPath("a")
        let moody = AnsweringTransport { _, index in
            index == 1 ? .init(401) : Self.found("/files/a", isFolder: false)
        }
        let server = try self.server(moody)
        for _ in 0..<3 { #expect(try await server.describe(path).name == "a") }
        #expect(moody.requests.value.count == 4)
        let changed = AnsweringTransport { _, index in
            index == 0 ? Self.found("/files/a", isFolder: false) : .init(401)
        }
        let other = try self.server(changed)
        _ = try await other.describe(path)
        for _ in 0..<2 {
            let error = await thrownError { _ = try await other.describe(path) }
            #expect(error?.code == .unauthorized)
        }
        // The client repeats the first refused request once, because the server had accepted the password. It does not
        // repeat the next one.
        #expect(changed.requests.value.count == 4)
    }

    @Test("gets another try with an accepted password for bytes, until it refuses twice in a row")
    func keepsAcceptedPassword() async throws {
        let server = try self.server(AnsweringTransport { _, _ in .init(404) })
        let locator = CloudLocator(server, path: try FolderPath("a"))
        func isTriedAgain(_ repetition: Int) async throws -> Bool {
            let location = try await locator.location(for: .whole, after: nil)
            let refusal = OriginFailure(
                location: location,
                isDirect: true,
                status: 401,
                headers: HTTPHeaderList(),
                body: [],
                repetition: repetition
            )
            if case .locateAnew = await locator.ruling(on: refusal) { return true }
            return false
        }
        locator.bytesFlow()
        #expect(try await isTriedAgain(1))
        locator.bytesFlow()
        #expect(try await isTriedAgain(1))
        #expect(try await !isTriedAgain(2))
        let wrong = CloudLocator(server, path: try FolderPath("a"))
        let location = try await wrong.location(for: .whole, after: nil)
        let first = OriginFailure(
            location: location,
            isDirect: true,
            status: 401,
            headers: HTTPHeaderList(),
            body: [],
            repetition: 1
        )
        guard case .refused = await wrong.ruling(on: first) else {
            Issue.record("a password that was never taken is sent again")
            return
        }
    }

    @Test("lists a folder once, and reports that a file holds no entries")
    func lists() async throws {
        let transport = AnsweringTransport { _, _ in Self.found("/files/M/", isFolder: true) }
        var pages = 0
        for try await page in try self.server(transport).list(try FolderPath("M/")) {
            #expect(page.isEmpty)
            pages += 1
        }
        #expect(pages == 1 && transport.requests.value.first?.headers["Depth"] == "1")
        let file = AnsweringTransport { _, _ in Self.found("/files/M", isFolder: false) }
        let error = await thrownError {
            for try await _ in try self.server(file).list(try FolderPath("M")) {}
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test(
        "gives errors with sentences and codes",
        arguments: [
            (401, .unauthorized), (403, .forbidden), (404, .notFound), (410, .notFound),
            (405, .badAnswer), (501, .badAnswer), (200, .badAnswer), (207, .badAnswer),
            (423, .originFailed), (429, .throttled), (500, .originFailed), (507, .throttled),
            (400, .badAnswer), (304, .badAnswer),
        ] as [(Int, SourceError.Code)]
    )
    func saysNo(_ status: Int, _ code: SourceError.Code) async throws {
        let transport = AnsweringTransport { _, _ in .init(status, [], "<html>") }
        let error = await thrownError {
            _ = try await self.server(transport).describe(try FolderPath("a"))
        }
        #expect(error?.code == code && error?.status == status && error?.host == "dav.test")
        #expect(error?.message.contains("pw") == false)
    }

    @Test("gives an error where its answer holds a status of 404")
    func saysNothing() async throws {
        let transport = AnsweringTransport { _, _ in
            .init(
                207,
                [],
                """
                <multistatus xmlns="DAV:"><response><href>/files/a</href>\
                <status>HTTP/1.1 404 Not Found</status></response></multistatus>
                """
            )
        }
        let error = await thrownError {
            _ = try await self.server(transport).describe(try FolderPath("a"))
        }
        #expect(error?.code == .notFound)
    }

    @Test("receives a digest after its challenge, and no second wrong password")
    func digests() async throws {
        let transport = AnsweringTransport { request, _ in
            let authorization = request.headers["Authorization"] ?? ""
            return authorization.contains("nonce=\"good\"")
                ? Self.found("/files/a", isFolder: false)
                : .init(401, [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"good\", qop=auth")])
        }
        let server = try self.server(transport)
        _ = try await server.describe(try FolderPath("a"))
        _ = try await server.describe(try FolderPath("a"))
        let counts = transport.requests.value.map { request in
            AuthenticationChallenge.all(in: request.headers["Authorization"] ?? "").first?
                .parameters["nc"]
        }
        #expect(counts == [nil, "00000001", "00000002"])
        let wrong = AnsweringTransport { _, _ in
            .init(401, [("WWW-Authenticate", "Digest realm=\"r\", nonce=\"x\", qop=auth")])
        }
        let error = await thrownError {
            _ = try await self.server(wrong).describe(try FolderPath("a"))
        }
        #expect(error?.code == .unauthorized && wrong.requests.value.count == 2)
    }

    @Test(
        "gets a new credential once for the bytes after a refusal, and the provider learns of refusals"
    )
    func rules() async throws {
        let server = try self.server(AnsweringTransport { _, _ in .init(500) })
        let location = try await server.locate(.root, range: .whole, after: nil).location
        func ruling(_ status: Int, _ challenge: String = "", isDirect: Bool = true) async -> String
        {
            let refusal = OriginFailure(
                location: location,
                isDirect: isDirect,
                status: status,
                headers: HTTPHeaderList(received: [("WWW-Authenticate", challenge)]),
                body: [],
                repetition: 1
            )
            switch await server.ruling(on: refusal, about: .root) {
            case .locateAnew: return "anew"
            case .refused(let error): return "\(error.code)"
            case .standard: return "standard"
            case .transient: return "transient"
            }
        }
        let digest = "Digest realm=\"r\", nonce=\"n\""
        // These refusals come from the target of a redirect, not from the server.
        for status in [401, 403, 404, 507] {
            #expect(await ruling(status, digest, isDirect: false) == "standard")
        }
        #expect(await ruling(401, digest) == "anew")
        #expect(await ruling(401, "Basic realm=\"r\"") == "unauthorized")
        #expect(await ruling(403) == "forbidden")
        #expect(await ruling(404) == "notFound")
        #expect(await ruling(507) == "throttled")
        #expect(await ruling(503) == "standard")
    }
}
