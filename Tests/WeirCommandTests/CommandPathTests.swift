// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import WeirCommand

@Suite("The command that a command line names")
struct CommandPathTests {
    @Test(
        "is given by the words before its own arguments",
        arguments: [
            ([], "weir"), (["--help"], "weir"), (["play", "a.mp3"], "weir play"),
            (["cache", "list", "--json"], "weir cache list"), (["cache", "--help"], "weir cache"),
            (["help", "cache", "list"], "weir cache list"), (["help"], "weir"),
            (["---completion", "play"], "weir"),
        ]
    )
    func name(_ words: [String], _ name: String) throws {
        #expect(try CommandPath(words).name == name)
    }

    @Test(
        "an unknown word is refused, and the error suggests the nearest command",
        arguments: [
            (
                ["plya"],
                "There is no command weir plya. Did you mean weir play? weir --help lists the commands."
            ),
            (
                ["help", "plya"],
                "There is no command weir plya. Did you mean weir play? weir --help lists the commands."
            ),
            (
                ["cache", "lst"],
                "There is no command weir cache lst. Did you mean weir cache list? weir cache --help lists the commands."
            ),
            (["conjugate"], "There is no command weir conjugate. weir --help lists the commands."),
            (
                ["https://user:secret@a.example/"],
                "A command comes first, as in: weir play THING. weir --help lists the commands."
            ),
        ]
    )
    func unknown(_ words: [String], _ sentence: String) {
        #expect {
            _ = try CommandPath(words)
        } throws: { "\($0)" == sentence && ExitStatus(for: $0) == .usage }
    }

    @Test(
        "its name begins each usage error, from the parser or from a later check"
    )
    func usage() throws {
        let path = try CommandPath(["get"])
        var refused: (any Error)?
        do { _ = try WeirCommand.parseAsRoot(["get", "x", "--cache-limit", "20GX"]) } catch {
            refused = error
        }
        let text = path.usage(try #require(refused))
        #expect(
            text.hasPrefix(
                "weir get: The value '20GX' is invalid for '--cache-limit <size>': write a number with B,"
            )
        )
        #expect(text.contains("See 'weir get --help' for more information."))
        #expect(
            path.usage(ValidationError("x."))
                == "weir get: x.\n  See 'weir get --help' for more information."
        )
    }

    @Test("its help has its own options before the common ones, and loses no line")
    func help() {
        for type in [GetCommand.self, PlayCommand.self, SealCommand.self]
            as [any ParsableCommand.Type]
        {
            let text = type.helpMessage(columns: 80)
            let own = HelpText(text).ownOptionsFirst
            #expect(own.split(separator: "\n").sorted() == text.split(separator: "\n").sorted())
            let headings = own.split(separator: "\n").filter {
                $0.hasSuffix(":") && $0.first != " " && $0.uppercased() == $0
            }
            #expect(headings.prefix(2).contains("OPTIONS:"), "\(headings)")
        }
        let list = CachePathCommand.helpMessage(columns: 80)
        #expect(HelpText(list).ownOptionsFirst == list)
    }
}
