// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Reads the answer to one request from the bytes of its connection: the head, then the body as the head frames it.
///
/// RFC 9112 rules, read as a client may read it: a line may end with a bare line feed (§2.2), blanks before a colon and
/// lines without a colon are dropped, a folded line is joined (§5.2), a value that is not UTF-8 is taken for ISO 8859-1,
/// and answers of 1xx are passed over. No byte of a body is copied: it is told as a range of the bytes that came.
struct AnswerParser {
    /// What the bytes say.
    enum Step: Equatable {
        /// All bytes are read, and the answer goes on.
        case needsMore
        /// The head has ended.
        case head(AnswerHeadLines)
        /// A part of the body, never empty, as a range of the bytes that were given.
        case body(Range<Int>)
        /// The answer has ended; bytes that follow are none of it.
        case end
    }

    private enum Phase {
        case status
        case fields
        case body(BodyParser)
    }

    /// How many bytes a head has at most, with those of the 1xx before it.
    static let limit = 64 << 10

    /// What the head of an answer is read with.
    private let request: Request
    private var phase = Phase.status
    private var line: [UInt8] = []
    private var count = 0
    private var head = AnswerHeadLines()

    /// What of a request decides how its answer is read.
    struct Request {
        /// Whether the answer has no body: to `HEAD`, and to a `CONNECT` that succeeded (RFC 9112 §6.3).
        var method: String
        /// Whether a radio station may answer, as old servers do: `ICY 200 OK`, wrong lengths.
        var isStation = false
    }

    init(_ request: Request) {
        self.request = request
    }

    /// Whether a byte of the answer has come.
    var hasBegun: Bool { self.count > 0 }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: what came.
    ///   - offset: the first byte that is not read; it is moved.
    /// - Returns: the next thing that the bytes say.
    /// - Throws: `malformed` with a phrase for what breaks the rules; the connection is then of no more use.
    mutating func next(
        in bytes: UnsafeRawBufferPointer,
        from offset: inout Int
    ) throws(HTTPTransportError) -> Step {
        if case .body(var body) = self.phase {
            defer { self.phase = .body(body) }
            return try body.next(in: bytes, from: &offset)
        }
        while offset < bytes.count {
            let rest = bytes[offset...]
            let end = rest.firstIndex(of: .lineFeed)
            self.line += rest[..<(end ?? rest.endIndex)]
            let next = end.map { $0 + 1 } ?? rest.endIndex
            self.count += next - offset
            offset = next
            guard self.count <= Self.limit else {
                throw HTTPTransportError(.malformed, "a head of more than 64 KiB")
            }
            if case .status = self.phase, !self.beginsAnswer { throw .broken }
            guard end != nil else { break }
            if let head = try self.lineEnded() { return .head(head) }
        }
        return .needsMore
    }

    /// The other side sends no more.
    ///
    /// - Throws: `connectionLost` unless the answer ends with its connection, or has ended.
    mutating func inputEnded() throws(HTTPTransportError) {
        if case .body(let body) = self.phase, body.mayEndHere { return }
        throw HTTPTransportError(.connectionLost, "the connection closed too early")
    }

    /// Reads the line that has ended; the head, where it was the last one.
    private mutating func lineEnded() throws(HTTPTransportError) -> AnswerHeadLines? {
        while self.line.last == .carriageReturn { self.line.removeLast() }
        defer { self.line.removeAll(keepingCapacity: true) }
        if case .status = self.phase {
            // Some send an empty line before the answer (RFC 9112 §2.2).
            if self.line.isEmpty { return nil }
            self.head = try AnswerHeadLines(statusLine: self.line)
            self.phase = .fields
            return nil
        }
        guard self.line.isEmpty else {
            self.head.append(line: self.line)
            return nil
        }
        if self.head.isInterim {
            self.phase = .status
            return nil
        }
        self.phase = .body(BodyParser(try self.head.frame(for: self.request)))
        return self.head
    }

    /// Whether the line so far may begin an answer.
    private var beginsAnswer: Bool {
        let line = self.line.drop { $0 == .carriageReturn }
        let marks = self.request.isStation ? ["HTTP/", "ICY "] : ["HTTP/"]
        return marks.contains { mark in
            zip(line, mark.utf8).allSatisfy { $0.uppercased == $1 }
        }
    }
}

extension HTTPTransportError {
    /// What came is not the answer that HTTP/1.1 describes.
    static let broken = HTTPTransportError(
        .malformed,
        "an answer that breaks the rules of HTTP/1.1"
    )
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// The letter in upper case; another character as it is.
    var uppercased: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & 0xDF : self
    }
}
