// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Turns the heads that radio stations send into heads that an HTTP parser takes.
///
/// Stations answer `ICY 200 OK`, end lines with a bare line feed, put blanks before a colon and write titles in
/// ISO 8859-1; parsers are right to refuse the first three and to spoil the last. This machine stands before the parser
/// and is armed for one answer at a time: it rewrites the head of that answer, also the ones of `1xx` before it, and is
/// then idle, so that no byte of a body is looked at. What does not begin as an answer of either kind is handed on as
/// it is: to refuse it is the parser's business.
struct StationHeadMachine {
    /// What is to be done with the bytes that were given.
    struct Effects: Equatable {
        /// Goes to the parser first.
        var rewritten: [UInt8] = []
        /// How many of the bytes are dealt with; those that follow go to the parser as they are.
        var consumed = 0
        /// Whether the head is longer than any may be; the connection is to be given up.
        var isTooLong = false
    }

    private enum Phase {
        /// No head is expected.
        case idle
        /// A head may begin with the bytes in ``line``.
        case start
        /// The bytes of a line of the head are in ``line``.
        case status
        case fields
    }

    /// How many bytes a head has at most, with those of `1xx` before it.
    static let limit = 64 * 1024

    private var phase = Phase.idle
    private var line: [UInt8] = []
    private var count = 0
    private var isInterim = false
    private var hasLength = false

    /// Whether a head is expected or on its way.
    var isArmed: Bool { self.phase != .idle }

    /// A request goes out: what comes next is the head of its answer.
    mutating func armed() {
        self = StationHeadMachine()
        self.phase = .start
    }

    /// Bytes came.
    mutating func received(_ bytes: some RandomAccessCollection<UInt8>) -> Effects {
        var effects = Effects()
        for byte in bytes {
            guard self.isArmed else { break }
            effects.consumed += 1
            self.count += 1
            guard self.count <= Self.limit else {
                self = StationHeadMachine()
                effects.isTooLong = true
                break
            }
            self.took(byte, &effects.rewritten)
        }
        return effects
    }

    /// Nothing more comes: the bytes of an unfinished line go to the parser as they are.
    mutating func ended() -> [UInt8] {
        defer { self = StationHeadMachine() }
        return self.line
    }

    private mutating func took(_ byte: UInt8, _ output: inout [UInt8]) {
        switch self.phase {
        case .idle:
            break
        case .start:
            // Some send an empty line before the answer.
            if self.line.isEmpty, byte == .lineFeed || byte == .carriageReturn { return }
            self.line.append(byte)
            switch Self.beginsAnswer(self.line) {
            case nil: break
            case true?: self.phase = .status
            case false?: output += self.ended()
            }
        case .status, .fields:
            guard byte == .lineFeed else {
                self.line.append(byte)
                return
            }
            while self.line.last == .carriageReturn { self.line.removeLast() }
            self.lineEnded(&output)
        }
    }

    private mutating func lineEnded(_ output: inout [UInt8]) {
        defer { self.line.removeAll(keepingCapacity: true) }
        if self.phase == .status {
            output += Self.rewrittenStatus(self.line)
            self.isInterim = Self.isInterim(self.line)
            self.phase = .fields
        } else if self.line.isEmpty {
            output += [.carriageReturn, .lineFeed]
            self.hasLength = false
            self.phase = self.isInterim ? .start : .idle
        } else if let field = Self.field(self.line), !(field.isLength && self.hasLength) {
            self.hasLength = self.hasLength || field.isLength
            output += field.rewritten
        }
    }
}

/// The lines of a head, without their ends, and as an HTTP parser takes them, with their ends.
extension StationHeadMachine {
    /// Whether an answer begins with these bytes: `ICY 200 OK`, or HTTP's own; `nil` while they are too few.
    private static func beginsAnswer(_ bytes: [UInt8]) -> Bool? {
        for mark in ["HTTP/", "ICY "] {
            let length = min(bytes.count, mark.utf8.count)
            let isAlike = zip(bytes, mark.utf8).allSatisfy { Self.uppercased($0) == $1 }
            if isAlike { return length == mark.utf8.count ? true : nil }
        }
        return false
    }

    /// The first line of a head.
    ///
    /// A SHOUTcast server that has no source says `ICY 401 Service Unavailable`, and one that is full
    /// `ICY 400 Server Full`. Neither is what HTTP means by the number, and both pass: they become 503.
    private static func rewrittenStatus(_ line: [UInt8]) -> [UInt8] {
        guard Self.isICY(line) else { return Self.clean(line[...]) + Array("\r\n".utf8) }
        let rest = line.dropFirst(3).drop(while: \.isBlank)
        let digits = rest.prefix(while: \.isASCIIDigit)
        let isFullOrEmpty = digits.elementsEqual("400".utf8) || digits.elementsEqual("401".utf8)
        let status = isFullOrEmpty ? Array("503".utf8) : Array(digits)
        return Array("HTTP/1.0 ".utf8) + status + Self.clean(rest.dropFirst(digits.count))
            + Array("\r\n".utf8)
    }

    /// Whether another answer follows to the same request: HTTP's 1xx but 101 (RFC 9110 §15.2).
    private static func isInterim(_ line: [UInt8]) -> Bool {
        let digits = line.drop { !$0.isBlank }.drop(while: \.isBlank).prefix(3)
        return !Self.isICY(line) && digits.count == 3 && digits.first == UInt8(ascii: "1")
            && !digits.elementsEqual("101".utf8)
    }

    private static func isICY(_ line: [UInt8]) -> Bool {
        Self.uppercased(line.first ?? 0) == UInt8(ascii: "I")
    }

    private static func uppercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
    }

    /// A line that holds a field, and whether the field tells how long the body is.
    ///
    /// Blanks before the colon go, control characters become blanks, and a value that is not UTF-8 is taken for
    /// ISO 8859-1. A line that makes no field is left out: one without a colon, one with an illegal name (RFC 9110
    /// §5.1), one that continues the line before, and a `Content-Length` without a number, or with one that no body has.
    private static func field(_ line: [UInt8]) -> (rewritten: [UInt8], isLength: Bool)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var name = line[..<colon]
        while let last = name.last, last.isBlank { name.removeLast() }
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return nil }
        let value = line[line.index(after: colon)...]
        let isLength = String(decoding: name, as: UTF8.self).lowercased() == "content-length"
        if isLength {
            let digits = value.filter { !$0.isBlank }
            guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit),
                !ResourceLength.isUnknown(digits)
            else { return nil }
        }
        let rewritten = Array(name) + [UInt8(ascii: ":")] + Self.clean(value) + Array("\r\n".utf8)
        return (rewritten, isLength)
    }

    /// The text without control characters, in UTF-8.
    private static func clean(_ text: ArraySlice<UInt8>) -> [UInt8] {
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

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
