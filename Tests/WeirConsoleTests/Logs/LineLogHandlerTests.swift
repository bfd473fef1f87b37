// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing
import WeirTestKit

@testable import WeirConsole

@Suite("Lines of a log")
struct LineLogHandlerTests {
    private let lines = Watched<[String]>([])

    private func logger(_ form: LineLogHandler.Form) -> Logger {
        var logger = Logger(label: "weir") { [lines] _ in
            LineLogHandler(
                form,
                now: { Date(timeIntervalSince1970: 1_700_000_000.5) },
                write: { line in lines.update { $0.append(line) } }
            )
        }
        logger.logLevel = .trace
        return logger
    }

    /// The only line, as an object of strings.
    private func object() throws -> [String: String] {
        #expect(self.lines.value.count == 1)
        let line = try #require(self.lines.value.first)
        return try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }

    // MARK: Text

    @Test("text has the time, the level, the request, the message, and other metadata by name")
    func text() {
        let logger = self.logger(.text)
        logger.info("GET /a → 206", metadata: ["request": "12-3", "b": "2", "a": "1"])
        logger.notice("No request")
        #expect(
            self.lines.value == [
                "2023-11-14T22:13:20.500Z info    12-3 GET /a → 206 a=1 b=2",
                "2023-11-14T22:13:20.500Z notice  No request",
            ]
        )
    }

    @Test(
        "messages of all levels but the longest start in one column",
        arguments: Logger.Level.allCases
    )
    func levels(level: Logger.Level) throws {
        self.logger(.text).log(level: level, "Message")
        let line = try #require(self.lines.value.first)
        #expect(line.contains(" \(level.rawValue) "))
        let column = line.distance(
            from: line.startIndex,
            to: try #require(line.firstRange(of: "Message")).lowerBound
        )
        #expect(column == (level == .critical ? 34 : 33))
    }

    @Test("text from outside cannot end a line, or control a terminal")
    func controls() throws {
        let hostile = "a\nb\r\nc\u{1B}[2Jd\u{0}e\u{7F}f\u{85}g\u{9B}h\u{2028}i\u{2029}j\tk"
        self.logger(.text).info("\(hostile)", metadata: ["\(hostile)": "\(hostile)"])
        let line = try #require(self.lines.value.first)
        #expect(self.lines.value.count == 1)
        #expect(
            line.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                    && $0.value != 0x2028 && $0.value != 0x2029
            }
        )
        #expect(line.contains("a b"))
        #expect(line.contains("c [2Jd e f g h i j k"))
    }

    @Test("plain text stays unchanged, in any script")
    func plain() {
        self.logger(.text).info("Ünï 日本 🎵 e\u{301} \u{200D}")
        #expect(self.lines.value.first?.hasSuffix(" Ünï 日本 🎵 e\u{301} \u{200D}") == true)
    }

    @Test("the logger's metadata are added to the event's, which take precedence")
    func metadata() {
        var logger = self.logger(.text)
        logger[metadataKey: "a"] = "1"
        logger[metadataKey: "b"] = "1"
        logger.info("M", metadata: ["b": "2"])
        #expect(logger[metadataKey: "a"] == "1")
        #expect(self.lines.value.first?.hasSuffix("M a=1 b=2") == true)
    }

    @Test("levels below the limit are not written")
    func level() {
        var logger = self.logger(.text)
        #expect(LineLogHandler(.text) { _ in }.logLevel == .info)
        logger.logLevel = .notice
        logger.info("no")
        logger.notice("yes")
        #expect(self.lines.value.count == 1)
    }

    // MARK: JSON

    @Test("JSON is an object of strings, with members in order")
    func json() throws {
        self.logger(.json).info("GET /a → 206", metadata: ["request": "12-3", "b": "x/y"])
        #expect(
            self.lines.value == [
                #"{"b":"x/y","level":"info","message":"GET /a → 206","request":"12-3","#
                    + #""time":"2023-11-14T22:13:20.500Z"}"#
            ]
        )
    }

    @Test("JSON has text from outside unchanged, on one line")
    func hostileJSON() throws {
        let hostile = "a\nb\r\n\u{1B}[2J\u{0}\"}\\,\u{2028}"
        self.logger(.json).warning(
            "\(hostile)",
            metadata: ["request": "1-1", "reason": "\(hostile)"]
        )
        let line = try #require(self.lines.value.first)
        #expect(line.utf8.allSatisfy { $0 >= 0x20 })
        let object = try self.object()
        #expect(object["message"] == hostile)
        #expect(object["reason"] == hostile)
        #expect(object["level"] == "warning")
        #expect(object["request"] == "1-1")
    }

    @Test("metadata cannot take the place of the time, the level or the message")
    func reserved() throws {
        self.logger(.json).info("M", metadata: ["time": "x", "level": "x", "message": "x"])
        #expect(
            try self.object() == [
                "time": "2023-11-14T22:13:20.500Z", "level": "info", "message": "M",
            ]
        )
    }
}
