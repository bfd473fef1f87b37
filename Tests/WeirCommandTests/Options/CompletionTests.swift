// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import WeirCommand

@Suite("The completions for a shell")
struct CompletionTests {
    @Test("only words with the same beginning are proposed, once, and nothing that moves a cursor")
    func proposals() {
        let texts = ["archive:/", "archive:/", "b", "archive:/\u{1B}[2J", "archive:/a b"]
        #expect(
            Completions.proposals(texts, beginningWith: "arch", for: .zsh)
                == ["archive:/", "archive:/a b"]
        )
        #expect(Completions.proposals(["a b"], beginningWith: "", for: nil) == ["a b"])
        let many = (0..<2000).map { "\($0)" }
        #expect(
            Completions.proposals(many, beginningWith: "", for: .fish).count == Completions.most
        )
    }

    @Test("for bash, every name is only text, whatever is in it")
    func quotes() {
        let names = ["a b", "$(touch x)", "`x`", "it's", "\\n", "~", "\"q\"", "a;b"]
        #expect(
            Completions.proposals(names, beginningWith: "", for: .bash)
                == [
                    "'a b'", "'$(touch x)'", "'`x`'", "'it'\\''s'", "'\\n'", "'~'", "'\"q\"'",
                    "'a;b'",
                ]
        )
    }

    /// The arguments that a shell passes when the user completes a word of a command line.
    private static func asked(_ words: [String], cursor: Int? = nil) -> [String] {
        let end = cursor ?? words.last?.count ?? 0
        return ["---completion", "play", "--", "positional@0", "\(words.count - 1)", "\(end)"]
            + words
    }

    @Test("only a path in a source is completed from a listing")
    func sourcePaths() {
        for word in ["archive:/", "archive:/Al", "my-source:/a/b c"] {
            #expect(SourcePaths(Self.asked(["weir", "play", word])) != nil, "\(word)")
        }
        for word in [
            "", "archive", "archive:", "archive:Al", "https://h/a", "a b:/c", "/x:/y", "./a:/b",
        ] {
            #expect(SourcePaths(Self.asked(["weir", "play", word])) == nil, "\(word)")
        }
        // The completion ignores the text behind the cursor.
        #expect(SourcePaths(Self.asked(["weir", "play", "archive:/Al"], cursor: 8)) == nil)
        #expect(SourcePaths(["play", "archive:/Al"]) == nil)
        #expect(SourcePaths([]) == nil)
        #expect(SourcePaths(["---completion", "play", "--", "positional@0", "1", "2"]) == nil)
    }

    @Test("the script of each shell adds Weir's to the parser's")
    func scripts() throws {
        for shell in [CompletionShell.bash, .zsh, .fish] {
            let script = try #require(
                CompletionScript(
                    WeirCommand.completionScript(for: shell),
                    for: ["--generate-completion-script", shell.rawValue]
                )
            )
            switch shell {
            case .bash:
                #expect(script.text.hasSuffix("complete -o filenames -F __weir_whole_words weir\n"))
            case .zsh:
                // The last definition is the valid one, and comes before its use.
                let parts = script.text.components(separatedBy: "__weir_custom_complete() {")
                #expect(parts.count == 3)
                #expect(parts.last?.contains("compadd") == true)
                #expect(parts.last?.contains("compdef _weir weir") == true)
            default:
                let parts = script.text.components(
                    separatedBy: "function __weir_custom_completion\n"
                )
                #expect(parts.count == 3)
                #expect(parts.last?.contains("commandline -ct") == true)
            }
        }
        #expect(CompletionScript("help", for: ["--help"]) == nil)
        #expect(CompletionScript("a", for: ["---completion", "play"]) == nil)
    }
}
