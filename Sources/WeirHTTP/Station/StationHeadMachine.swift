// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first line of a station's answer: `ICY 200 OK`, or HTTP's own.
struct StationStatusLine {
    /// What the first bytes of an answer are.
    enum Beginning {
        case undecided
        case answer
        case other
    }

    /// The line as an HTTP parser takes it, with its end.
    let rewritten: [UInt8]
    /// Whether another answer follows to the same request: 1xx but 101 (RFC 9110 §15.2).
    let isInterim: Bool

    /// Reads a line.
    ///
    /// A SHOUTcast server that has no source says `ICY 401 Service Unavailable`, and one that is full
    /// `ICY 400 Server Full`. Neither is what HTTP means by the number, and both pass: they become 503.
    ///
    /// - Parameter line: without its end; it begins as ``beginning(_:)`` wants it.
    init(_ line: [UInt8]) {
        guard Self.isICY(line) else {
            self.isInterim = Self.isInterim(line)
            self.rewritten = StationField.clean(line[...]) + Array("\r\n".utf8)
            return
        }
        let rest = line.dropFirst(3).drop(while: \.isBlank)
        let digits = rest.prefix(while: \.isASCIIDigit)
        let isFullOrEmpty = digits.elementsEqual("400".utf8) || digits.elementsEqual("401".utf8)
        let status = isFullOrEmpty ? Array("503".utf8) : Array(digits)
        self.isInterim = false
        self.rewritten =
            Array("HTTP/1.0 ".utf8) + status + StationField.clean(rest.dropFirst(digits.count))
            + Array("\r\n".utf8)
    }

    /// What an answer is that begins with these bytes.
    static func beginning(_ bytes: [UInt8]) -> Beginning {
        for mark in ["HTTP/", "ICY "] {
            let length = min(bytes.count, mark.utf8.count)
            let isAlike = zip(bytes, mark.utf8).allSatisfy { Self.uppercased($0) == $1 }
            if isAlike { return length == mark.utf8.count ? .answer : .undecided }
        }
        return .other
    }

    private static func isICY(_ line: [UInt8]) -> Bool {
        Self.uppercased(line.first ?? 0) == UInt8(ascii: "I")
    }

    private static func isInterim(_ line: [UInt8]) -> Bool {
        let digits = line.drop { !$0.isBlank }.drop(while: \.isBlank).prefix(3)
        return digits.count == 3 && digits.first == UInt8(ascii: "1")
            && !digits.elementsEqual("101".utf8)
    }

    private static func uppercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
    }
}

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

    /// Nothing more comes: what is held goes to the parser as it is.
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
            switch StationStatusLine.beginning(self.line) {
            case .undecided: break
            case .answer: self.phase = .status
            case .other:
                output += self.ended()
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
            let status = StationStatusLine(self.line)
            output += status.rewritten
            self.isInterim = status.isInterim
            self.phase = .fields
        } else if self.line.isEmpty {
            output += [.carriageReturn, .lineFeed]
            self.hasLength = false
            self.phase = self.isInterim ? .start : .idle
        } else if let field = StationField(self.line), !(field.isLength && self.hasLength) {
            self.hasLength = self.hasLength || field.isLength
            output += field.rewritten
        }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
