// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Repairs the fields of an answer's head that say where its body ends, where RFC 9112 lets a client do so.
///
/// | the head | the parser gets |
/// |---|---|
/// | `Content-Length` several times, or a list, with one value (§6.3) | one field with that value |
/// | `Transfer-Encoding: chunked` beside `Content-Length` (§6.1) | the coding, and `Connection: close` |
/// | `Content-Length` that no body has: negative, or above 2^62 | `Connection: close`: the body ends with its connection |
/// | `Content-Length` with different values | nothing: it is an error, also beside chunks |
///
/// The parser refuses all of them. Servers of endless streams send lengths such as 2^63-1, 2^64-1 and -1 for "unknown". A head that needs no repair is not touched.
struct FramingMachine {
    /// What is known of the bytes so far.
    enum Finding: Equatable {
        /// More is needed to see the end of the head.
        case incomplete
        /// They are the parser's to judge: not the head of an answer, or too long for one.
        case foreign
        /// A head of so many bytes; an answer to the same request follows if it is interim.
        case head(count: Int, Repair, isInterim: Bool)
    }

    /// What is to be done with a head.
    enum Repair: Equatable {
        case none
        /// The parser gets this one.
        case rewritten([UInt8])
        /// It contradicts itself; a phrase names the field.
        case refused(String)
    }

    /// A longer head is not held back.
    static let limit = 64 * 1024

    /// How many of the bytes have been searched for the end of the head.
    private var searched = 0

    /// Looks at all bytes that have come since the last head.
    mutating func look(at bytes: UnsafeRawBufferPointer) -> Finding {
        let start = bytes.firstIndex { $0 != .carriageReturn && $0 != .lineFeed } ?? bytes.count
        guard zip(bytes[start...], "HTTP/".utf8).allSatisfy({ $0 & 0xDF == $1 & 0xDF }) else {
            return .foreign
        }
        guard let end = self.end(of: bytes, from: start) else {
            return bytes.count > Self.limit ? .foreign : .incomplete
        }
        self.searched = 0
        let head = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        return .head(count: end, Self.repair(head), isInterim: Self.isInterim(head))
    }

    /// The offset behind the empty line that ends the head.
    private mutating func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = max(start, self.searched)
        while index < bytes.count {
            defer { index += 1 }
            guard bytes[index] == .lineFeed else { continue }
            var next = index + 1
            if next < bytes.count, bytes[next] == .carriageReturn { next += 1 }
            // The rest of the line end has yet to come: look at this line feed again.
            guard next < bytes.count else {
                self.searched = index
                return nil
            }
            if bytes[next] == .lineFeed { return next + 1 }
        }
        self.searched = index
        return nil
    }

    /// Whether another answer follows to the same request: 1xx but 101 (RFC 9110 §15.2).
    private static func isInterim(_ head: UnsafeRawBufferPointer) -> Bool {
        let digits = head.drop { $0 != 0x20 }.dropFirst().prefix(3)
        return digits.first == UInt8(ascii: "1") && !digits.elementsEqual("101".utf8)
    }

    private static func repair(_ head: UnsafeRawBufferPointer) -> Repair {
        var (lengths, isChunked) = ([ArraySlice<UInt8>](), false)
        for line in head.split(separator: .lineFeed).dropFirst() {
            if let value = Self.value(of: "content-length", in: line) {
                lengths += Self.items(value)
            } else if let value = Self.value(of: "transfer-encoding", in: line) {
                let last = Self.items(value).last ?? []
                isChunked = last.count == 7 && Self.starts(last, with: "chunked")
            }
        }
        guard let first = lengths.first else { return .none }
        let isUnknown = !isChunked && ResourceLength.isUnknown(first)
        guard lengths.count > 1 || isChunked || isUnknown else { return .none }
        guard lengths.allSatisfy({ $0 == first }) else {
            let values = lengths.prefix(4).map { item in
                let shown = item.filter { (0x21...0x7E).contains($0) }.prefix(20)
                return String(decoding: shown, as: UTF8.self)
            }
            return .refused("Content-Length: \(values.joined(separator: ", "))")
        }
        guard isChunked || isUnknown || first.allSatisfy(\.isASCIIDigit) else { return .none }
        let length = isChunked || isUnknown ? nil : Array(first)
        return .rewritten(Self.rewritten(head, length: length))
    }

    /// The head with one length, or with none and the end of its connection.
    private static func rewritten(_ head: UnsafeRawBufferPointer, length: [UInt8]?) -> [UInt8] {
        let field =
            length.map { Array("Content-Length: ".utf8) + $0 } ?? Array("Connection: close".utf8)
        var output: [UInt8] = []
        for line in head.split(separator: .lineFeed, omittingEmptySubsequences: false) {
            if line.isEmpty || line.elementsEqual([.carriageReturn]) {
                return output + field + Array("\r\n\r\n".utf8)
            }
            let isReplaced =
                Self.value(of: "content-length", in: line) != nil
                || length == nil && Self.value(of: "connection", in: line) != nil
            if !isReplaced { output += line + [.lineFeed] }
        }
        return output
    }

    /// What stands behind the colon, if the line is a field of a name, which is given in lower case.
    private static func value(of name: String, in line: Slice<UnsafeRawBufferPointer>)
        -> Slice<UnsafeRawBufferPointer>?
    {
        let count = name.utf8.count
        guard line.count > count, line[line.startIndex + count] == UInt8(ascii: ":"),
            Self.starts(line, with: name)
        else { return nil }
        return line[(line.startIndex + count + 1)...]
    }

    private static func starts(_ bytes: some Sequence<UInt8>, with text: String) -> Bool {
        // What differs from a letter or a dash in this bit alone is no character of a name.
        zip(bytes, text.utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    /// The items of a list, without blanks around them.
    private static func items(_ value: Slice<UnsafeRawBufferPointer>) -> [ArraySlice<UInt8>] {
        Array(value).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            var item = $0
            while let first = item.first, first.isBlank { item.removeFirst() }
            while let last = item.last, last.isBlank || last == .carriageReturn {
                item.removeLast()
            }
            return item
        }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
