// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Writes to standard output and standard error, without a buffer.
enum Output {
    /// The error number of a failed write to standard output; `nil` if there was none.
    private static let trouble = Mutex<CInt?>(nil)
    /// Whether a redrawn line is on the terminal, which must be cleared before the next line.
    private static let isRedrawing = Mutex(false)

    /// The error for an incomplete result; `nil` if it is complete, or if the reader has closed the
    /// pipe.
    static var failure: CommandError? {
        guard let number = self.trouble.withLock({ $0 }), number != EPIPE else { return nil }
        return CommandError.failed(
            "Standard output could not be written (\(String(cString: strerror(number)))), so the output is"
                + " incomplete; write it to another place."
        )
    }

    /// Ends a command if the reader of its results has closed the pipe.
    ///
    /// - Throws: ``ReaderHasLeft``.
    static func checkReader() throws(ReaderHasLeft) {
        if self.trouble.withLock({ $0 }) == EPIPE { throw ReaderHasLeft() }
    }

    /// Prints a line of the command's result.
    static func print(_ line: String) {
        Output.write("\(line)\n", to: STDOUT_FILENO)
    }

    /// Prints a line about progress or a warning, on standard error.
    static func note(_ line: String) {
        let clearing = self.isRedrawing.withLock { isRedrawing in
            defer { isRedrawing = false }
            return isRedrawing ? "\r\u{1B}[K" : ""
        }
        Output.write("\(clearing)\(line)\n", to: STDERR_FILENO)
    }

    /// Prints a question to standard error without a line feed, so that the answer follows it.
    static func ask(_ question: String) {
        Output.write(question, to: STDERR_FILENO)
    }

    /// Prints text that replaces the last line of a terminal, on standard error.
    static func redraw(_ text: String) {
        self.isRedrawing.withLock { $0 = true }
        Output.write("\r\(text)\u{1B}[K", to: STDERR_FILENO)
    }

    /// Removes the redrawn line from the terminal.
    static func clearRedrawn() {
        let isRedrawing = self.isRedrawing.withLock { isRedrawing in
            defer { isRedrawing = false }
            return isRedrawing
        }
        if isRedrawing { Output.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    /// Prints an object as a line of JSON with its keys in order.
    static func json(_ value: JSON) throws {
        Output.print(try Output.jsonLine(value))
    }

    /// Prints an error as a JSON object, at the end of a command or for one of several items.
    static func failed(_ message: String, _ status: ExitStatus) {
        try? Output.json(["event": "error", "message": message, "status": status.rawValue])
    }

    /// An object as a line of JSON with its keys in order.
    static func jsonLine(_ value: JSON) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Writes escape sequences and text to standard output, which is a terminal.
    static func draw(_ text: String) {
        Output.write(text, to: STDOUT_FILENO)
    }

    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let number = errno
                if descriptor == STDOUT_FILENO { self.trouble.withLock { $0 = number } }
                return
            }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// An object of JSON, as `--json` prints it; fields without a value are left out.
struct JSON: Encodable, ExpressibleByDictionaryLiteral, Sendable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private var fields: [String: any Encodable & Sendable] = [:]

    init(dictionaryLiteral fields: (String, (any Encodable & Sendable)?)...) {
        for (name, value) in fields { self.fields[name] = value }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in self.fields {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }
}
