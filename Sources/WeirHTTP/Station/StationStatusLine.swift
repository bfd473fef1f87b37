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
