// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The bytes that a station sends over HTTP; when it is dropped, its connection is closed.
final class StationStream: StationBody {
    private let body: any HTTPBody
    private let failures: StationFailures
    private let observer: SourceObserver?

    init(_ body: any HTTPBody, _ failures: StationFailures, observer: SourceObserver?) {
        self.body = body
        self.failures = failures
        self.observer = observer
    }

    deinit {
        self.body.cancel()
    }

    func next() async throws -> ByteMemory? {
        do {
            guard let memory = try await self.body.next() else { return nil }
            self.observer?(.received(byteCount: memory.count))
            return memory.withUnsafeBytes { ByteMemory(copying: $0) }
        } catch let error as HTTPTransportError {
            throw self.failures.brokenOff(error)
        }
    }

    func cancel() {
        self.body.cancel()
    }
}

/// A line of the head of a station's answer that holds a field.
struct StationField {
    /// The line as an HTTP parser takes it, with its end.
    let rewritten: [UInt8]
    /// Whether it tells how long the body is.
    let isLength: Bool

    /// Reads a line.
    ///
    /// Blanks before the colon go, control characters become blanks, and a value that is not UTF-8 is taken for
    /// ISO 8859-1. A line that makes no field is left out: one without a colon, one whose name is none (RFC 9110
    /// §5.1), one that continues the line before, and a `Content-Length` without a number.
    ///
    /// - Parameter line: without its end, not empty.
    init?(_ line: [UInt8]) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var name = line[..<colon]
        while let last = name.last, last.isBlank { name.removeLast() }
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return nil }
        let value = line[line.index(after: colon)...]
        self.isLength = String(decoding: name, as: UTF8.self).lowercased() == "content-length"
        if self.isLength {
            let digits = value.filter { !$0.isBlank }
            guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        }
        self.rewritten =
            Array(name) + [UInt8(ascii: ":")] + Self.clean(value) + Array("\r\n".utf8)
    }

    /// The text without control characters, in UTF-8.
    static func clean(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let isControlled = text.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
        let shown =
            isControlled
            ? text.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 } : Array(text)
        guard shown.contains(where: { $0 >= 0x80 }),
            String(validating: shown, as: UTF8.self) == nil
        else { return shown }
        return shown.flatMap { byte in
            byte < 0x80 ? [byte] : [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
        }
    }
}
