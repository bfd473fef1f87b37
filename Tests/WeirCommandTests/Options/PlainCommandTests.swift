// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import WeirCommand

@Suite("A plain command line")
struct PlainCommandTests {
    @Test(
        "gives weir serve the values that the parser reads",
        arguments: [
            [], ["https://a.example/"], ["a", "--", "b"], ["help"], ["a", "b:", "c"],
            ["--listen", "[::1]:0", "a", "--no-secret", "--new-secret"],
            ["a", "--no-secret"], ["a", "--new-secret", "--no-page", "--no-page"],
            ["--allow-host", "b", "--allow-host=c", "--allow-cross-origin", "https://b.example"],
            ["--log", "json", "--log=text", "--drain", "1.5m"],
            ["--header", "Name: a=b", "--header=Other: c=d", "--header", "@file"],
            ["--header-env", "Authorization=TOKEN", "--account", "me", "--account", "you"],
            ["--ca-file=x.pem", "--volatile-query", "sig,exp", "--volatile-query", "at"],
            ["--immutable", "--offline", "--ignore-cache-control", "--keep", "first:1MiB"],
            ["--revalidate", "12h", "--validator", "modified", "--when-gone", "refuse"],
            ["--retry-for", "5m", "--hls-host", "cdn.example", "--read-ahead", "2 MB"],
            ["--limit-rate=1MB", "--config", "c.toml", "--cache", "k", "--cache-limit", "1GB"],
            ["--cache-age", "30d", "--cache-reserve", "1GiB", "--json", "--quiet", "--verbose"],
            ["-q", "-v"],
        ]
    )
    func same(_ words: [String]) throws {
        let arguments = ["serve"] + words
        let parsed = try? WeirCommand.parseAsRoot(arguments)
        guard let plain = ServeCommand(plain: arguments) else {
            #expect(parsed == nil || words.contains("--"))
            return
        }
        let read = try #require(parsed as? ServeCommand)
        #expect("\(plain)" == "\(read)")
    }

    @Test(
        "gives weir get the values that the parser reads",
        arguments: [
            ["a"], ["a", "b", "-r", "--output", "/new/folder"], ["a", "-o", "/new/f", "--force"],
            ["-o=/new/f", "a", "--recursive", "--quiet"], ["a", "--output=/new/f", "--offline"],
        ]
    )
    func same(gets words: [String]) throws {
        let plain = try #require(GetCommand(plain: ["get"] + words))
        let read = try #require(WeirCommand.parseAsRoot(["get"] + words) as? GetCommand)
        #expect("\(plain)" == "\(read)")
    }

    @Test("sets every value, also without an option")
    func values() throws {
        let serve = try #require(ServeCommand(plain: ["serve"]))
        let get = try #require(GetCommand(plain: ["get", "a"]))
        #expect(!"\(serve) \(get)".contains("definition"))
    }

    @Test(
        "is no line that the parser must read",
        arguments: [
            [], ["--version"], ["get", "a"], ["--quiet", "serve"], ["serve", "--help"],
            ["serve", "-h"], ["serve", "--version"], ["serve", "--unknown"], ["serve", "-qv"],
            ["serve", "--listen"], ["serve", "--listen="], ["serve", "--listen", "4747"],
            ["serve", "--quiet=yes"], ["serve", "--header", "-x: y"],
            ["serve", "--decrypt", "age"],
            ["serve", "--cache-count", "0"], ["serve", "--", "a"], ["serve", ""], ["serve", "-"],
        ]
    )
    func other(_ arguments: [String]) {
        #expect(ServeCommand(plain: arguments) == nil)
    }

    @Test(
        "is no line of weir get that has no thing, or an output that the parser must read",
        arguments: [
            ["get"], ["get", "--quiet"], ["get", "a", "-o", "-"], ["get", "a", "-of"],
            ["get", "a", "b", "-o", "/dev/null"], ["get", "a", "-rq"], ["serve", "a"],
        ]
    )
    func other(gets arguments: [String]) {
        #expect(GetCommand(plain: arguments) == nil)
    }
}
