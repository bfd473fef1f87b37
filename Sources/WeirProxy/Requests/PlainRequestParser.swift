// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads the requests that players send: a whole GET or HEAD in HTTP/1.1 without unusual parts.
///
///     request-line = method SP request-target SP HTTP-version CRLF
///     field-line   = field-name ":" OWS field-value OWS CRLF
///
/// (RFC 9112 §3, §5.) It reports no errors: NIO's decoder gets all input that is incomplete,
/// ambiguous, rare or wrong. That decoder can read every request, but makes an object of every
/// field. Making these takes longer than answering from the disk.
struct PlainRequestParser {
    /// The most bytes of a request that this parser reads.
    static let maximumSize = 4096

    private let bytes: UnsafeRawBufferPointer
    private var index = 0
    /// The position of the first `Range` field's value.
    private(set) var rangeValue: Range<Int>?

    /// Makes a parser of bytes that the caller lends.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Reads a request.
    ///
    /// - Returns: `nil` unless the bytes are one plain request and nothing else.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> RequestHead? {
        var parser = PlainRequestParser(bytes)
        return parser.request()
    }

    /// Reads the request.
    ///
    /// - Returns: `nil` unless the bytes are one plain request and nothing else.
    mutating func request() -> RequestHead? {
        self.bytes.count <= Self.maximumSize ? self.wholeRequest() : nil
    }

    private mutating func wholeRequest() -> RequestHead? {
        let isGet = self.skip("GET /")
        guard isGet || self.skip("HEAD /") else { return nil }
        let start = self.index - 1
        self.skip { (0x21...0x7E).contains($0) }
        var head = RequestHead(target: self.text(start..<self.index))
        head.method = isGet ? .get : .head
        guard self.skip(" HTTP/1.1\r\n") else { return nil }
        for _ in 0...RequestDecoder.maximumFieldCount {
            if self.skip("\r\n") { return self.index == self.bytes.count ? head : nil }
            guard self.field(&head) else { return nil }
        }
        return nil
    }

    /// Reads a line of the header.
    ///
    /// - Returns: false if the line is not plain.
    private mutating func field(_ head: inout RequestHead) -> Bool {
        let nameStart = self.index
        self.skip(Self.isOfName)
        let name = UnsafeRawBufferPointer(rebasing: self.bytes[nameStart..<self.index])
        guard !name.isEmpty, self.skip(":") else { return false }
        self.skip { $0 == 0x20 }
        let start = self.index
        // No tabs, no controls, and only ASCII.
        self.skip { (0x20...0x7E).contains($0) }
        var end = self.index
        while end > start, self.bytes[end - 1] == 0x20 { end -= 1 }
        guard self.skip("\r\n") else { return false }
        switch FieldName(name) {
        case nil:
            return true
        case .contentLength, .transferEncoding, .upgrade:
            // The input after the head is not a request.
            return false
        case .connection:
            let options = UnsafeRawBufferPointer(rebasing: self.bytes[start..<end])
            return head.take(connection: options)
        case let field?:
            if field == .range, self.rangeValue == nil { self.rangeValue = start..<end }
            head.take(field, self.text(start..<end))
            return true
        }
    }

    private mutating func skip(_ isOfKind: (UInt8) -> Bool) {
        while self.index < self.bytes.count, isOfKind(self.bytes[self.index]) { self.index += 1 }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let isThere = text.withUTF8Buffer { letters in
            guard letters.count <= self.bytes.count - self.index else { return false }
            for offset in 0..<letters.count where self.bytes[self.index + offset] != letters[offset]
            {
                return false
            }
            return true
        }
        if isThere { self.index += text.utf8CodeUnitCount }
        return isThere
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: self.bytes[range]), as: UTF8.self)
    }

    /// The characters of a token (RFC 9110 §5.6.2) that field names use in practice.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}

extension RequestHead {
    /// Reads a `Connection` field with one option.
    ///
    /// - Returns: false if it has other options.
    fileprivate mutating func take(connection options: UnsafeRawBufferPointer) -> Bool {
        var scanner = ASCIIScanner(String(decoding: options, as: UTF8.self))
        if scanner.skip(caseInsensitive: "close") {
            self.keepsAlive = false
        } else if !scanner.skip(caseInsensitive: "keep-alive") {
            return false
        }
        return scanner.isAtEnd
    }
}

/// A request with a range; the next request of its connection nearly always differs only in its
/// range.
///
/// The next request is compared with the last one, and only its range is read.
final class RequestRepetition {
    private let head: RequestHead
    private let bytes: [UInt8]
    private let rangeValue: Range<Int>

    /// Remembers a request.
    ///
    /// - Parameters:
    ///   - head: the head that was read.
    ///   - bytes: the bytes of the request.
    ///   - rangeValue: the position in these bytes of its first `Range` field's value.
    init(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, rangeValue: Range<Int>) {
        self.head = head
        self.bytes = [UInt8](bytes)
        self.rangeValue = rangeValue
    }

    /// Reads a request that differs from the remembered one only in its range.
    ///
    /// - Returns: `nil` for any other request.
    func head(_ bytes: UnsafeRawBufferPointer) -> RequestHead? {
        let start = self.rangeValue.lowerBound
        let rest = self.bytes.count - self.rangeValue.upperBound
        let end = bytes.count - rest
        guard end > start else { return nil }
        let isSame = self.bytes.withUnsafeBytes { own in
            guard let own = own.baseAddress, let other = bytes.baseAddress else { return false }
            return memcmp(own, other, start) == 0
                && memcmp(own + self.rangeValue.upperBound, other + end, rest) == 0
        }
        let value = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard isSame, self.head.rangeField != .ignored, let range = RangeField(plain: value)
        else { return nil }
        var head = self.head
        head.rangeField = range
        return head
    }
}

/// Passes plain requests straight to the connection, until other input arrives.
///
/// The first bytes that are not one whole plain request go to NIO's decoder, which is then added
/// behind this handler. All later bytes of the connection go there, too. So the two parsers never
/// have to agree on where a request begins.
final class PlainRequestReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ConnectionHandler
    private var isOver = false
    private var repetition: RequestRepetition?

    init(for connection: ConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !self.isOver {
            let head = self.unwrapInboundIn(data).withUnsafeReadableBytes { self.head($0) }
            if let head { return self.connection.received(head) }
            self.isOver = true
            do {
                try context.pipeline.syncOperations.addHandler(
                    ByteToMessageHandler(RequestDecoder()),
                    position: .after(self)
                )
            } catch {
                // The connection is being torn down.
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    private func head(_ bytes: UnsafeRawBufferPointer) -> RequestHead? {
        if let head = self.repetition?.head(bytes) { return head }
        var parser = PlainRequestParser(bytes)
        guard let head = parser.request() else { return nil }
        self.repetition = parser.rangeValue.map { RequestRepetition(head, bytes, rangeValue: $0) }
        return head
    }
}

@available(*, unavailable)
extension PlainRequestReader: Sendable {}

@available(*, unavailable)
extension RequestRepetition: Sendable {}
