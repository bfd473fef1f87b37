// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The lines of a response's head, read one by one, and the framing of the body that they describe.
struct AnswerHeadLines: Equatable {
    /// Where the body ends (RFC 9112 §6.3).
    enum Framing: Equatable {
        /// There is no body.
        case none
        /// After this number of bytes, which may be 0.
        case length(Int64)
        /// With the last chunk.
        case chunked
        /// At the end of the connection.
        case untilClose
    }

    /// The status code, 100 to 999.
    private(set) var status = 0
    /// The fields, in their order.
    ///
    /// `Content-Length` occurs at most once, and never together with chunks.
    private(set) var headers = HTTPHeaderList()
    /// Where the body ends.
    private(set) var framing = Framing.none
    /// Whether the connection may carry another request after the response (RFC 9112 §9.3).
    private(set) var keepsConnection = false

    /// Whether an old radio server sent the response, with `ICY 200 OK`.
    private var isICY = false
    private var isOldVersion = false
    private var fields: [(name: String, value: String)] = []
    /// Whether the last line made a field, which the next line may continue.
    private var isFieldOpen = false

    /// Creates a head without lines.
    init() {}

    /// Reads `HTTP/1.1 200 OK` or `ICY 200 OK`.
    ///
    /// A SHOUTcast server without a source sends `ICY 401 Service Unavailable`, and a full one `ICY
    /// 400 Server Full`. HTTP gives these codes other meanings, and both conditions are temporary:
    /// they become 503.
    init(statusLine line: [UInt8]) throws(HTTPTransportError) {
        let words = line.split(whereSeparator: \.isBlank)
        guard let version = words.first, words.count > 1, words[1].count == 3,
            words[1].allSatisfy(\.isASCIIDigit),
            let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100
        else { throw .broken }
        self.isICY = version.count == 3
        if self.isICY {
            self.status = status == 400 || status == 401 ? 503 : status
            self.isOldVersion = true
        } else {
            let digits = version.dropFirst("HTTP/".utf8.count)
            guard digits.count == 3, digits.first?.isASCIIDigit == true,
                digits.dropFirst().first == UInt8(ascii: "."), digits.last?.isASCIIDigit == true
            else { throw .broken }
            self.status = status
            self.isOldVersion = digits.elementsEqual("1.0".utf8) || digits.elementsEqual("0.9".utf8)
        }
    }

    /// Whether another response to the same request follows: 1xx except 101 (RFC 9110 §15.2).
    var isInterim: Bool { (100...199).contains(self.status) && self.status != 101 }

    /// Takes a line after the status line; a line that is not a field is left out.
    mutating func append(line: [UInt8]) {
        if let first = line.first, first.isBlank {
            guard self.isFieldOpen else { return }
            let rest = Self.text(line.drop(while: \.isBlank))
            self.fields[self.fields.count - 1].value += " \(rest)"
            return
        }
        self.isFieldOpen = false
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        var name = line[..<colon]
        while let last = name.last, last.isBlank { name.removeLast() }
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return }
        let value = Self.text(line[line.index(after: colon)...].drop(while: \.isBlank))
        self.fields.append((String(decoding: name, as: UTF8.self), value))
        self.isFieldOpen = true
    }

    /// Decides the framing of the body after the last line.
    ///
    /// - Throws: `malformed`, with the values, if lengths contradict each other; `malformed` if the
    ///   length is not a number. Unusable lengths of a station are ignored.
    mutating func frame(for request: AnswerParser.Request) throws(HTTPTransportError) -> Framing {
        self.headers = HTTPHeaderList(received: self.fields)
        let lengths = self.headers.values(of: "Content-Length").flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
        }
        // `identity` is not a coding (RFC 2616 §3.6); the length beside it counts.
        let codings = self.headers.tokens(of: "Transfer-Encoding").filter { $0 != "identity" }
        let isChunked = codings.last == "chunked"
        var length: String?
        if request.isStation {
            length = lengths.first {
                !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit)
                    && !ResourceLength.isUnknown($0.utf8)
            }
        } else if let first = lengths.first {
            guard lengths.allSatisfy({ $0 == first }) else { throw Self.contradiction(lengths) }
            // Servers of endless streams send impossible lengths when they know no length.
            length = ResourceLength.isUnknown(first.utf8) ? nil : first
        }
        if !lengths.isEmpty {
            self.headers.remove("Content-Length")
            if let length, codings.isEmpty { self.headers.append("Content-Length", length) }
        }
        self.framing = try Self.framing(
            hasBody: !self.hasNoBody(after: request.method),
            isCoded: !codings.isEmpty,
            isChunked: isChunked,
            length: length
        )
        let options = self.headers.tokens(of: "Connection")
        let staysOpen =
            self.isOldVersion ? options.contains("keep-alive") : !options.contains("close")
        // With both fields, an intermediary may have framed the body by the length (RFC 9112 §6.1).
        let isAmbiguous = isChunked && !lengths.isEmpty
        self.keepsConnection =
            staysOpen && self.framing != .untilClose && !isAmbiguous && !self.isICY
        return self.framing
    }

    private static func framing(
        hasBody: Bool,
        isCoded: Bool,
        isChunked: Bool,
        length: String?
    ) throws(HTTPTransportError) -> Framing {
        guard hasBody else { return .none }
        if isCoded { return isChunked ? .chunked : .untilClose }
        guard let length else { return .untilClose }
        guard length.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(length) else {
            throw .broken
        }
        return .length(number)
    }

    private func hasNoBody(after method: String) -> Bool {
        method == "HEAD" || self.status == 204 || self.status == 304
            || method == "CONNECT" && (200...299).contains(self.status)
    }

    private static func contradiction(_ lengths: [String]) -> HTTPTransportError {
        let values = lengths.prefix(4).map { item in
            String(
                decoding: item.utf8.filter { (0x21...0x7E).contains($0) }.prefix(20),
                as: UTF8.self
            )
        }
        return HTTPTransportError(
            .malformed,
            "Content-Length: \(values.joined(separator: ", ")), which contradicts itself"
        )
    }

    private static func trimmed(_ item: Substring) -> String {
        String(item.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The text with spaces for control characters; bytes that are not UTF-8 are read as ISO
    /// 8859-1.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let shown = bytes.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 }
        if let text = String(validating: shown, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(shown.map { Unicode.Scalar($0) }))
    }

    static func == (left: AnswerHeadLines, right: AnswerHeadLines) -> Bool {
        left.status == right.status && left.headers == right.headers
            && left.framing == right.framing
            && left.keepsConnection == right.keepsConnection
    }
}
