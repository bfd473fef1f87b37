// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import WeirCommand

@Suite("Options of weir play")
struct PlayOptionTests {
    @Test(
        "times are read in their usual forms",
        arguments: [
            ("0", 0), ("90", 90_000), ("90s", 90_000), ("1.5m", 90_000), ("2h", 7_200_000),
            ("1:30", 90_000), ("1:02:03", 3_723_000), ("1:02:03.5", 3_723_500), ("0.25", 250),
            ("100:00", 6_000_000), ("90 s", 90_000),
        ]
    )
    func times(_ text: String, _ milliseconds: Int) {
        #expect(PlayTime(argument: text)?.duration == .milliseconds(milliseconds))
    }

    @Test(
        "texts that are no time are refused",
        arguments: [
            "", "s", "-1", "1d", "1:60", "1:2:3:4", ":30", "1:", "1.5:30", "1e3", "nan", "inf",
            "99999999999", "1 2s", "٣",
        ]
    )
    func noTimes(_ text: String) {
        #expect(PlayTime(argument: text) == nil)
    }

    @Test("sinks and volumes are read")
    func others() {
        #expect(SinkChoice(argument: "alsa") == .alsa)
        #expect(SinkChoice(argument: "null") == .null)
        #expect(SinkChoice(argument: "-") == .standardOutput)
        #expect(SinkChoice(argument: "list") == .list)
        #expect(SinkChoice(argument: "wav:a b.wav") == .wav("a b.wav"))
        for text in ["wav:", "wav", "", "pulse"] { #expect(SinkChoice(argument: text) == nil) }
        #expect(Volume(argument: "80")?.share == 0.8)
        for text in ["-1", "101", "x", ""] { #expect(Volume(argument: text) == nil) }
    }

    @Test(
        "the command line is understood",
        arguments: [
            [
                "play", "a.mp3", "b.mp3", "--sink", "wav:x.wav", "--start", "1:30", "--length",
                "60s",
            ],
            ["play", "groove", "--record", "r", "--volume", "50", "--json"],
            [
                "play", "https://a.example/a.age", "--sink", "null", "--decrypt", "age",
                "--key-file", "k",
            ],
            ["play", "x", "--sink", "alsa", "--device", "hw:0"],
            ["radio", "list", "--json"], ["radio", "remove", "groove"],
            ["radio", "add", "a", "https://a.example", "--header", "A: b", "--charset", "koi8-r"],
        ]
    )
    func understood(_ words: [String]) throws {
        _ = try WeirCommand.parseAsRoot(words)
    }

    @Test(
        "missing, invalid and contradicting arguments are wrong usage",
        arguments: [
            ["play"], ["play", "x", "--volume", "200"],
            ["play", "x", "--sink", "null", "--device", "d"],
            ["play", "x", "--length", "soon"], ["radio", "add", "x"], ["radio", "remove"],
            ["radio", "add", "a", "https://a.example", "--charset", "ebcdic"],
        ]
    )
    func refused(_ words: [String]) {
        #expect {
            _ = try WeirCommand.parseAsRoot(words)
        } throws: { WeirCommand.exitCode(for: $0) == .validationFailure }
    }

    @Test("the help of each command has examples")
    func help() {
        for (name, help) in [
            ("play", PlayCommand.helpMessage(columns: 120)),
            ("radio", RadioCommand.helpMessage(columns: 120)),
            ("radio add", RadioAddCommand.helpMessage(columns: 120)),
            ("radio list", RadioListCommand.helpMessage(columns: 120)),
            ("radio remove", RadioRemoveCommand.helpMessage(columns: 120)),
        ] {
            let examples = help.components(separatedBy: "EXAMPLES").last ?? ""
            #expect(examples.components(separatedBy: "weir ").count >= 3, "\(name)")
        }
        let whole = WeirCommand.helpMessage(columns: 120)
        #expect(whole.contains("weir play ") && whole.contains("weir radio "))
    }
}
