// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("A web server's page of a folder")
struct FolderPageTests {
    private static let folder = "http://web.test/music/Blue%20Album/"

    private func names(_ page: String, at folder: String = Self.folder) throws -> [String] {
        FolderPage.entries(in: Array(page.utf8), at: try OriginURL(folder))
            .map { $0.kind == .folder ? "\($0.name)/" : $0.name }
    }

    @Test("is read as nginx, Apache, Caddy and Python write it")
    func servers() throws {
        let nginx = """
            <html><head><title>Index of /music/Blue Album/</title></head><body>
            <h1>Index of /music/Blue Album/</h1><hr><pre><a href="../">../</a>
            <a href="Live/">Live/</a>                           12-Oct-2026 10:00       -
            <a href="01%20a%26b.mp3">01 a&amp;b.mp3</a>         12-Oct-2026 10:00    6543
            </pre><hr></body></html>
            """
        #expect(try self.names(nginx) == ["Live/", "01 a&b.mp3"])
        let apache = """
            <tr><th><a href="?C=N;O=D">Name</a></th></tr>
            <tr><td><a href="/music/">Parent Directory</a></td></tr>
            <tr><td><a href="a&amp;b.mp3">a&amp;b.mp3</a></td><td>1.2M</td></tr>
            <TR><TD><A CLASS=x HREF='Live/'>Live/</A></TD></TR>
            """
        #expect(try self.names(apache) == ["a&b.mp3", "Live/"])
        let caddy = """
            <a href="./01.mp3"><span class="name">01.mp3</span></a>
            <a href="./Live/">Live</a><a href="https://caddyserver.com">Caddy</a>
            """
        #expect(try self.names(caddy) == ["01.mp3", "Live/"])
        let python =
            "<li><a href=\"01.mp3\">01.mp3</a></li>\n<li><a href=\"%D0%B0.ogg\">а.ogg</a></li>"
        #expect(try self.names(python) == ["01.mp3", "а.ogg"])
        let absolute = """
            <a href="/music/Blue%20Album/a.mp3">a</a><a href="http://web.test/music/Blue%20Album/b.mp3">b</a>
            """
        #expect(try self.names(absolute) == ["a.mp3", "b.mp3"])
    }

    @Test(
        "links that lead elsewhere are not entries",
        arguments: [
            "../up.mp3", "/music/other.mp3", "//other.test/music/Blue%20Album/a.mp3",
            "http://other.test/music/Blue%20Album/a.mp3", "javascript:play()", "mailto:me@web.test",
            "?C=M;O=A", "#top", "", "..", ".", "%2e%2e/", "a/b.mp3", "a%2Fb.mp3", "a%00.mp3", "/",
            "/music/Blue%20Album/", "./", "a.mp3?x=1", "https://web.test/music/Blue%20Album/a.mp3",
        ]
    )
    func elsewhere(_ link: String) throws {
        #expect(try self.names("<a href=\"\(link)\">x</a>") == [])
    }

    @Test("character references are decoded, and each name counts once")
    func references() throws {
        let page = """
            <a href="a&#38;b.mp3">1</a><a href="a&#x26;b.mp3">2</a><a href="c&nosuch;d.mp3">3</a>\
            <a href="&#xD800;.mp3">4</a><a title="a > b" href="e&quot;.mp3">5</a><a name="x">6</a>\
            <a href=f.mp3>7</a><abbr href="no.mp3"><a href>8</a><a href="h.mp3" href="i.mp3">9</a>
            """
        // An invalid character reference stays as text, and its `#` ends the address.
        #expect(
            try self.names(page)
                == ["a&b.mp3", "c&nosuch;d.mp3", "&", "e\".mp3", "f.mp3", "h.mp3"]
        )
    }

    @Test("any bytes are read to their end")
    func anyBytes() throws {
        let parts = [
            "<a href=", "\"", "'", ">", "<a ", "&", "&#", ";", "%", "/", "=", "a", " ", "\u{0}",
            "<",
        ]
        var random = SeededGenerator(seed: 7)
        let url = try OriginURL(Self.folder)
        for _ in 0..<2000 {
            let page = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }
            for entry in FolderPage.entries(in: Array(page.joined().utf8), at: url) {
                #expect(!entry.name.isEmpty && !entry.name.contains("/"))
            }
        }
    }

    /// A server without WebDAV, whose folder is one page.
    private func server(
        _ transport: AnsweringTransport,
        at address: String = "http://web.test/music/"
    ) throws -> WebDAV {
        WebDAV(
            name: nil,
            base: try OriginURL(address),
            authorizer: nil,
            headers: HTTPHeaderList([try HTTPHeader(name: "X-Token", value: "t")]),
            mayBePlain: true,
            client: transport.client
        )
    }

    @Test(
        "replaces a listing where the server has no WebDAV, and each request has the source's headers"
    )
    func plainServer() async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == "GET" else { return .init(405, [], "no") }
            return .init(
                200,
                [("Content-Type", "text/html; charset=utf-8")],
                "<a href=\"a.mp3\">a</a>"
            )
        }
        let server = try self.server(transport)
        #expect(try await server.describe(.root).kind == .folder)
        var names: [String] = []
        for try await page in server.list(.root) { names += page.map(\.name) }
        #expect(names == ["a.mp3"])
        #expect(transport.requests.value.map(\.method) == ["PROPFIND", "GET", "PROPFIND", "GET"])
        #expect(transport.requests.value.allSatisfy { $0.headers["X-Token"] == "t" })
    }

    @Test(
        "without an entry is an empty folder if its title says so, as servers write it",
        arguments: [
            "<html><head><title>Index of /a&amp;b/c d/</title></head><h1>x</h1><a href=\"../\">../</a>",
            "<html><head><title>Index of /a&amp;b/c d</title></head><a href=\"/a&amp;b/\">Parent</a>",
            "<!DOCTYPE HTML><title>Directory listing for /a&amp;b/c d/</title><hr><ul></ul>",
        ]
    )
    func emptyFolder(_ page: String) async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == "GET" else { return .init(405, [], "no") }
            return .init(200, [("Content-Type", "text/html")], page)
        }
        let folder = try FolderPath("/c d/")
        let server = try self.server(transport, at: "http://web.test/a&b/")
        #expect(try await server.describe(folder).kind == .folder)
        var names: [String] = []
        for try await page in server.list(folder) { names += page.map(\.name) }
        #expect(names == [])
    }

    @Test(
        "without an entry is refused if its title does not say that it is a folder",
        arguments: [
            "<title>Index of /other/</title>", "<title>Index of /music/x/</title>",
            "<title></title>",
            "<title>Index of /music/", "Index of /music/", "<title>Welcome</title>", "",
        ]
    )
    func noTitle(_ page: String) async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == "GET" else { return .init(405, [], "no") }
            return .init(200, [("Content-Type", "text/html")], page)
        }
        let error = await thrownError { _ = try await self.server(transport).describe(.root) }
        #expect(error?.code == .badAnswer)
    }

    @Test(
        "a base that is not a folder and has no slash at its end is a file",
        arguments: [404, 200]
    )
    func fileAsBase(_ status: Int) async throws {
        let transport = AnsweringTransport { request, _ in
            switch (request.method, request.url.path) {
            case ("PROPFIND", _): return .init(405, [], "no")
            case ("HEAD", "/music/a%20b.mp3"):
                return .init(200, [("Content-Type", "audio/mpeg"), ("Content-Length", "12")], "")
            default: return .init(status, [("Content-Type", "audio/mpeg")], "x")
            }
        }
        let server = try self.server(transport, at: "http://web.test/music/a%20b.mp3?key=1")
        let entry = try await server.describe(.root)
        #expect(entry.name == "a b.mp3" && entry.kind == .file && entry.length == 12)
        #expect(transport.requests.value.last?.url.query == "key=1")
        let missing = try self.server(transport, at: "http://web.test/music/none.mp3")
        let error = await thrownError { _ = try await missing.describe(.root) }
        #expect(status == 404 ? error?.code == .notFound : error == nil)
    }

    @Test("an answer that is not a page with links is not a folder, and its bytes are not read")
    func noPage() async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == "GET" else { return .init(501, [], "no") }
            return .init(200, [("Content-Type", "audio/mpeg")], "<a href=\"a.mp3\">a</a>")
        }
        let error = await thrownError {
            for try await _ in try self.server(transport).list(.root) {}
        }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("give each file") == true)
    }

    @Test("the error for a page that needs a credential says so")
    func refused() async throws {
        let transport = AnsweringTransport { request, _ in
            .init(request.method == "GET" ? 401 : 501, [], "no")
        }
        let error = await thrownError {
            _ = try await self.server(transport).describe(.root)
        }
        #expect(error?.code == .unauthorized)
    }

    @Test("a HEAD request describes a file of a server without WebDAV")
    func plainFile() async throws {
        let transport = AnsweringTransport { request, _ in
            guard request.method == "HEAD" else { return .init(405, [], "no") }
            return .init(200, [("Content-Type", "audio/mpeg"), ("Content-Length", "12")], "")
        }
        let entry = try await self.server(transport).describe(try FolderPath("a.mp3"))
        #expect(
            entry.kind == .file && entry.length == 12 && entry.mediaType?.essence == "audio/mpeg"
        )
    }
}
