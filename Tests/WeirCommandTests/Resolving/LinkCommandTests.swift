// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || !canImport(Darwin)
import Testing
import Weir
import WeirClouds
import WeirHTTP

@testable import WeirCommand
import WeirSource

@Suite("A program that prints URLs")
struct LinkCommandTests {
    /// A link command that runs a shell script; the path is the script's first argument.
    private static func command(_ script: String, headers: [String] = []) throws -> LinkCommand {
        var list = HTTPHeaderList()
        for text in headers { list.append(try HTTPHeader(parsing: text)) }
        return LinkCommand(
            words: ["/bin/sh", "-c", script, "sh", "{}"],
            lifetime: .seconds(600),
            headers: list,
            source: "mine"
        )
    }

    @Test("prints a URL, and headers that follow the source's own")
    func link() async throws {
        let script =
            "echo; echo ' https://cdn.example/a?sig=1 '; echo 'X-Two: 2'; echo \"X-Path: $1\""
        let command = try Self.command(script, headers: ["X-One: 1"])
        let link = try await command.link(to: FolderPath("/A b/c.mp3"))
        #expect(link.url.requestTarget == "/a?sig=1")
        #expect(link.headers.headers.map(\.name) == ["X-One", "X-Two", "X-Path"])
        #expect(link.headers["X-Path"] == "/A b/c.mp3")
        #expect(link.lifetime == .seconds(600))
    }

    @Test("receives a folder with a slash at its end, and the root as a slash")
    func folders() async throws {
        let script = "echo https://cdn.example/; echo \"X-Path: $1\""
        for (path, told) in [("/A/", "/A/"), ("/A", "/A"), ("/", "/")] {
            let link = try await Self.command(script).link(to: FolderPath(path))
            #expect(link.headers["X-Path"] == told)
        }
    }

    @Test(
        "causes an error where it fails or prints other text",
        arguments: [
            ("exit 3", "ended with status 3"), (":", "did not print an http or https URL"),
            ("echo ftp://h.example/a", "did not print an http or https URL"),
            ("echo https://h.example/; echo nonsense", "a line after its URL that is not a header"),
            ("head -c 70000 /dev/zero | tr '\\0' x", "printed more than a URL"),
        ]
    )
    func failures(_ script: String, _ part: String) async throws {
        let command = try Self.command(script)
        let error = await #expect(throws: SourceError.self) {
            try await command.link(to: FolderPath("/a"))
        }
        #expect(error?.code == .originFailed)
        #expect(error?.ownerMessage.contains("'/bin/sh' of mine") == true)
        #expect(error?.message.contains("/bin/sh") == false)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test("is named in the error where it is missing")
    func missing() async throws {
        let command = LinkCommand(
            words: ["/none/such"],
            lifetime: nil,
            headers: HTTPHeaderList(),
            source: "mine"
        )
        let error = await #expect(throws: SourceError.self) {
            try await command.link(to: FolderPath("/a"))
        }
        #expect(error?.code == .originFailed)
        #expect(error?.ownerMessage.contains("/none/such") == true)
        #expect(error?.message.contains("/none/such") == false)
    }
}
#endif
