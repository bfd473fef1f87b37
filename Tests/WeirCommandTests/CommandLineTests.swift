// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import WeirCommand

@Suite("The command line")
struct CommandLineTests {
    @Test(
        "is accepted",
        arguments: [
            [
                "serve", "https://a.example/m/", "--header", "Authorization: OAuth x", "--header",
                "@f", "--account", "me",
            ],
            [
                "serve", "https://a.example/m/", "--listen", "127.0.0.1:0", "--no-secret",
                "--allow-host", "box", "-v",
            ],
            [
                "serve", "https://a.example/m/", "--allow-cross-origin", "https://b.example",
                "--keep", "first:1MiB",
            ],
            [
                "exec", "https://a.example/a.mp3", "--header-env", "Authorization=TOKEN", "--",
                "mpv", "--no-video", "{}",
            ],
            [
                "get", "https://a.example/a.mp3", "-o", "-", "--limit-rate", "1MB", "--read-ahead",
                "0", "--offline",
            ],
            [
                "get", "https://a.example/a.mp3", "--volatile-query", "sig,exp", "--ca-file",
                "x.pem", "--immutable", "--validator", "modified",
            ],
            [
                "get", "https://a.example/a.mp3.age", "--decrypt", "age", "--key-file", "k",
                "--account", "me",
            ],
            [
                "exec", "https://a.example/a", "--decrypt", "aes-ctr", "--key-env", "K", "--iv",
                "prefix", "--counter", "1", "--plain-header", "1KiB", "--", "mpv", "{}",
            ],
            [
                "serve", "https://a.example/a", "--decrypt", "aes-cbc", "--key-file", "k",
                "--padding", "none", "--kdf", "bytes-to-key:md5", "--key-bits", "128",
            ],
            ["seal", "f", "--for", "aes-ctr", "--key-file", "k", "--iv", "0011223344556677"],
            ["seal", "-", "--recipient", "age1x", "-o", "f.age", "--force", "--json"],
            ["cache", "list", "--json", "--cache", "/tmp/x"], ["cache", "path"],
            ["cache", "clear", "-q"],
            ["cache", "remove", "https://a.example/a.mp3"],
        ]
    )
    func understood(_ words: [String]) throws {
        _ = try WeirCommand.parseAsRoot(words)
    }

    @Test(
        "is refused with a usage error",
        arguments: [
            ["serve", "https://a.example/", "--listen", "4747"],
            ["serve", "x", "--keep", "all"], ["serve", "x", "--validator", "date"],
            ["serve", "x", "--no-secret", "--new-secret"], ["exec", "https://a.example/a.mp3"],
            ["get"],
            ["login", "yandex"], ["login", "yandez", "--client-id", "x"],
            ["ls", "x", "--m3u", "--json"],
            ["ls", "x", "--decrypt", "age"], ["seal"], ["seal", "f", "--for", "aes-ecb"],
            ["cache", "remove"], ["play"], ["get", "x", "--nonsense"],
        ]
    )
    func refused(_ words: [String]) {
        #expect {
            _ = try WeirCommand.parseAsRoot(words)
        } throws: { WeirCommand.exitCode(for: $0) == .validationFailure }
    }

    @Test(
        "has two examples at the end of every command's help",
        arguments: [
            ["serve"], ["exec"], ["get"], ["seal"], ["cache"], ["cache", "list"],
            ["cache", "path"],
            ["cache", "remove"],
            ["cache", "clear"],
        ]
    )
    func help(_ words: [String]) throws {
        let type = try #require(Self.commands[words.joined(separator: " ")])
        let help = type.helpMessage(columns: 120)
        let examples = help.components(separatedBy: "EXAMPLES").last ?? ""
        #expect(examples.components(separatedBy: "weir \(words[0])").count >= 2)
        #expect(type.configuration.abstract.hasSuffix("."))
    }

    @Test("the URL replaces the placeholder in the player's arguments, or comes after them")
    func playerWords() {
        #expect(ExecCommand.arguments(["mpv", "{}"], url: "u") == ["mpv", "u"])
        #expect(ExecCommand.arguments(["mpv", "--a={}", "b"], url: "u") == ["mpv", "--a=u", "b"])
        #expect(ExecCommand.arguments(["mpv", "b"], url: "u") == ["mpv", "b", "u"])
    }

    private static let commands: [String: any ParsableCommand.Type] = [
        "serve": ServeCommand.self, "exec": ExecCommand.self, "get": GetCommand.self,
        "seal": SealCommand.self,
        "cache": CacheCommand.self,
        "cache pin": CachePinCommand.self, "cache unpin": CacheUnpinCommand.self,
        "cache verify": CacheVerifyCommand.self, "cache export": CacheExportCommand.self,
        "cache list": CacheListCommand.self, "cache path": CachePathCommand.self,
        "cache remove": CacheRemoveCommand.self, "cache clear": CacheClearCommand.self,
    ]
}
