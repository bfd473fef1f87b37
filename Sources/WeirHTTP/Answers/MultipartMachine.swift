// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Extracts the one part from a `multipart/byteranges` body (RFC 9110 §14.6, RFC 2046 §5.1.1).
///
/// ```
/// [preamble CRLF] --boundary CRLF
/// Content-Type: audio/mpeg CRLF
/// Content-Range: bytes 0-499/8000 CRLF CRLF
/// (500 bytes) CRLF --boundary-- [epilogue]
/// ```
///
/// The part's `Content-Range` gives its length. The machine never searches the part's bytes for the boundary.
struct MultipartMachine {
    /// The result of a piece of the body.
    enum Event {
        /// The machine needs more bytes.
        case nothing
        /// The part's head; the piece may already hold bytes of the part.
        case head(HTTPHeaderList)
        /// Bytes of the part.
        case bytes(ByteMemory)
        /// The body breaks the format; the phrase says what arrived.
        case broken(String)
    }

    /// The longest accepted head of a part, preamble included.
    static let maximumHead = 16 * 1024

    private enum State {
        case head([UInt8])
        /// Waits for the call of ``begin(partLength:)``.
        case waiting(leftOver: ByteMemory?)
        case bytes(left: Int64)
        /// The first bytes after the part.
        case tail([UInt8])
    }

    private let delimiter: [UInt8]
    private var state = State.head([])

    init(boundary: String) {
        self.delimiter = Array("--\(boundary)".utf8)
    }

    /// Whether the machine has returned all bytes of the part.
    var isComplete: Bool {
        switch self.state {
        case .tail: true
        case .head, .waiting, .bytes: false
        }
    }

    /// Whether all bytes are returned, but more of the body is needed to see if another part follows.
    var needsTail: Bool {
        guard case .tail(let held) = self.state else { return false }
        return held.count < self.tailLength
    }

    /// Whether another part follows, which the request did not ask for.
    ///
    /// A missing closing delimiter is harmless, since all bytes of the part have arrived.
    var hasMoreParts: Bool {
        guard case .tail(let held) = self.state, held.count == self.tailLength else { return false }
        let line = held.dropFirst(2)
        return line.starts(with: self.delimiter)
            && !line.dropFirst(self.delimiter.count).elementsEqual("--".utf8)
    }

    /// Takes a piece of the body.
    mutating func received(_ memory: ByteMemory) -> Event {
        switch self.state {
        case .head(let held):
            return self.receivedHead(held, memory)
        case .waiting:
            return .broken("unexpected bytes")
        case .bytes(let left):
            return self.receivedBytes(memory, left: left)
        case .tail(let held):
            self.receivedTail(held, memory)
            return .nothing
        }
    }

    /// Accepts the part's head: from now on the machine returns the part's bytes.
    ///
    /// - Returns: the bytes of the part that arrived in the same piece as the head; `nothing` if no such bytes arrived.
    mutating func begin(partLength: Int64) -> Event {
        guard case .waiting(let leftOver) = self.state else { return .broken("unexpected bytes") }
        self.state = .bytes(left: partLength)
        guard let leftOver, leftOver.count > 0 else { return .nothing }
        return self.receivedBytes(leftOver, left: partLength)
    }

    private mutating func receivedHead(_ held: [UInt8], _ memory: ByteMemory) -> Event {
        let room = Self.maximumHead - held.count
        let taken = min(room, memory.count)
        let bytes = held + memory[0..<taken].withUnsafeBytes { Array($0) }
        guard let (headers, end) = self.parseHead(bytes) else {
            guard bytes.count < Self.maximumHead else {
                return .broken("a multipart body whose first part has no readable head")
            }
            self.state = .head(bytes)
            return .nothing
        }
        let used = end - held.count
        let rest = used < memory.count ? memory[max(0, used)..<memory.count] : nil
        self.state = .waiting(leftOver: rest)
        return .head(headers)
    }

    /// The fields of the part's head and the start of its bytes; `nil` until the head is complete.
    private func parseHead(_ bytes: [UInt8]) -> (HTTPHeaderList, Int)? {
        var lines: [ArraySlice<UInt8>] = []
        var isInside = false
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            var line = bytes[start..<index]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            start = index + 1
            if !isInside {
                while let last = line.last, last.isBlank { line.removeLast() }
                isInside = line.elementsEqual(self.delimiter)
            } else if line.isEmpty {
                return (Self.headers(lines), start)
            } else {
                lines.append(line)
            }
        }
        return nil
    }

    private static func headers(_ lines: [ArraySlice<UInt8>]) -> HTTPHeaderList {
        HTTPHeaderList(
            received: lines.compactMap { line in
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                return (
                    String(decoding: line[..<colon], as: UTF8.self),
                    String(decoding: line[(colon + 1)...], as: UTF8.self)
                )
            }
        )
    }

    private mutating func receivedBytes(_ memory: ByteMemory, left: Int64) -> Event {
        guard Int64(memory.count) >= left else {
            self.state = .bytes(left: left - Int64(memory.count))
            return .bytes(memory)
        }
        let part = Int(left)
        self.receivedTail([], memory[part..<memory.count])
        return part > 0 ? .bytes(memory[0..<part]) : .nothing
    }

    private mutating func receivedTail(_ held: [UInt8], _ memory: ByteMemory) {
        let taken = min(max(0, self.tailLength - held.count), memory.count)
        self.state = .tail(held + memory[0..<taken].withUnsafeBytes { Array($0) })
    }

    /// The length of the line end, the delimiter and two dashes.
    private var tailLength: Int { self.delimiter.count + 4 }
}
