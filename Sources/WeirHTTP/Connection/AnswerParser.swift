// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Parses the response to one request from the bytes of its connection: the head, then the body.
///
/// Follows RFC 9112, with the tolerance that it allows a client. A line may end with a bare line
/// feed (§2.2). Blanks before a colon and lines without a colon are dropped. A folded line is
/// joined (§5.2). A value that is not UTF-8 is read as ISO 8859-1. Responses of 1xx are skipped,
/// except 101. The parser copies no byte of a body: it returns a range of the input.
struct AnswerParser {
    /// The next element of the response.
    enum Step: Equatable {
        /// All bytes are read, and the response continues.
        case needsMore
        /// The complete head.
        case head(AnswerHeadLines)
        /// A part of the body, never empty, as a range of the input bytes.
        case body(Range<Int>)
        /// The response has ended; bytes that follow do not belong to it.
        case end
    }

    private enum Phase {
        case status
        case fields
        case body(BodyParser)
    }

    /// The largest size of a head in bytes, with the 1xx heads before it.
    static let limit = 64 << 10

    /// The facts about the request that decide how the head is read.
    private let request: Request
    private var phase = Phase.status
    private var line: [UInt8] = []
    private var count = 0
    private var head = AnswerHeadLines()

    /// The facts about a request that decide how its response is read.
    struct Request {
        /// The method: a response to `HEAD`, or a success of `CONNECT`, has no body (RFC 9112
        /// §6.3).
        var method: String
        /// Whether a radio station may respond as old servers do: `ICY 200 OK`, wrong lengths.
        var isStation = false
    }

    init(_ request: Request) {
        self.request = request
    }

    /// Whether a byte of the response has arrived.
    var hasBegun: Bool { self.count > 0 }

    /// Reads the next element.
    ///
    /// - Parameters:
    ///   - bytes: the input.
    ///   - offset: the first unread byte; the call advances it.
    /// - Returns: the next element of the response.
    /// - Throws: `malformed` with a phrase for the broken rule; the connection is then unusable.
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

    /// Ends the input: the server sends no more.
    ///
    /// - Throws: `connectionLost` unless the response ends with its connection, or has ended.
    mutating func inputEnded() throws(HTTPTransportError) {
        if case .body(let body) = self.phase, body.mayEndHere { return }
        throw HTTPTransportError(.connectionLost, "the connection closed too early")
    }

    /// Handles the end of a line; returns the head after its last line.
    private mutating func lineEnded() throws(HTTPTransportError) -> AnswerHeadLines? {
        while self.line.last == .carriageReturn { self.line.removeLast() }
        defer { self.line.removeAll(keepingCapacity: true) }
        if case .status = self.phase {
            // Some servers send an empty line before the response (RFC 9112 §2.2).
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

    /// Whether the line so far may begin a response.
    private var beginsAnswer: Bool {
        let line = self.line.drop { $0 == .carriageReturn }
        let marks = self.request.isStation ? ["HTTP/", "ICY "] : ["HTTP/"]
        return marks.contains { mark in
            zip(line, mark.utf8).allSatisfy { $0.uppercased == $1 }
        }
    }
}

extension HTTPTransportError {
    /// The bytes are not a valid response of HTTP/1.1.
    static let broken = HTTPTransportError(
        .malformed,
        "an answer that breaks the rules of HTTP/1.1"
    )
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// The letter in upper case; any other character unchanged.
    var uppercased: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & 0xDF : self
    }
}
