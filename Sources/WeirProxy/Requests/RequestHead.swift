// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// The parts of a request that the proxy reads: its line, and some of its fields.
struct RequestHead: Hashable, Sendable {
    /// The methods that the proxy distinguishes.
    enum Method: Hashable, Sendable {
        case get
        case head
        case options
        case other(String)

        var name: String {
            switch self {
            case .get: "GET"
            case .head: "HEAD"
            case .options: "OPTIONS"
            case .other(let name): name
            }
        }
    }

    /// The `Host` fields of a request.
    enum Host: Hashable, Sendable {
        case missing
        case one(String)
        case several
    }

    private struct Fields: Hashable, Sendable {
        var method: Method = .get
        var target: String
        var isHTTP10 = false
        var keepsAlive = true
        var isFollowed = false
        var host: Host = .missing
        var ifRange: String?
        var ifMatch: String?
        var ifNoneMatch: String?
        var isOnlyIfCached = false
        var authorization: String?
        var fetchSite: String?
        var fetchDestination: String?
        var origin: String?
        var isPreflight = false
        var isFromPublicNetwork = false
    }

    private final class Storage: Sendable {
        let fields: Fields

        init(_ fields: Fields) {
            self.fields = fields
        }
    }

    /// All but the range; the requests of one player for one resource share it.
    private var storage: Storage

    private var fields: Fields {
        get { self.storage.fields }
        set { self.storage = Storage(newValue) }
    }

    /// The value of the `Range` field; `nil` without one.
    var rangeField: RangeField?

    init(target: String) {
        self.storage = Storage(Fields(target: target))
    }

    var method: Method {
        get { self.storage.fields.method }
        set { self.fields.method = newValue }
    }

    /// The request target as received (RFC 9112 §3.2).
    var target: String {
        get { self.storage.fields.target }
        set { self.fields.target = newValue }
    }

    var isHTTP10: Bool {
        get { self.storage.fields.isHTTP10 }
        set { self.fields.isHTTP10 = newValue }
    }

    /// Whether the client lets the connection stay open.
    var keepsAlive: Bool {
        get { self.storage.fields.keepsAlive }
        set { self.fields.keepsAlive = newValue }
    }

    /// Whether a body or another protocol follows the head; the proxy must not read it as the next
    /// request.
    var isFollowed: Bool {
        get { self.storage.fields.isFollowed }
        set { self.fields.isFollowed = newValue }
    }

    var host: Host {
        get { self.storage.fields.host }
        set { self.fields.host = newValue }
    }

    var ifRange: String? {
        get { self.storage.fields.ifRange }
        set { self.fields.ifRange = newValue }
    }

    var ifMatch: String? {
        get { self.storage.fields.ifMatch }
        set { self.fields.ifMatch = newValue }
    }

    var ifNoneMatch: String? {
        get { self.storage.fields.ifNoneMatch }
        set { self.fields.ifNoneMatch = newValue }
    }

    /// Whether the request forbids fetching bytes for the answer (RFC 9111 §5.2.1.7).
    var isOnlyIfCached: Bool {
        get { self.storage.fields.isOnlyIfCached }
        set { self.fields.isOnlyIfCached = newValue }
    }

    /// The credential of a request for a page; never logged.
    var authorization: String? {
        get { self.storage.fields.authorization }
        set { self.fields.authorization = newValue }
    }

    /// How the asking page's site is related to this one, as a browser says (Fetch Metadata,
    /// `Sec-Fetch-Site`).
    var fetchSite: String? {
        get { self.storage.fields.fetchSite }
        set { self.fields.fetchSite = newValue }
    }

    /// The browser's use for the answer (Fetch Metadata, `Sec-Fetch-Dest`).
    var fetchDestination: String? {
        get { self.storage.fields.fetchDestination }
        set { self.fields.fetchDestination = newValue }
    }

    /// Whether a browser would run the answer, or style a page with it.
    var isForScript: Bool {
        guard let destination = self.fetchDestination else { return false }
        return [
            "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet",
            "style", "xslt", "json",
        ].contains(destination)
    }

    /// The site of the asking page, as a browser names it.
    var origin: String? {
        get { self.storage.fields.origin }
        set { self.fields.origin = newValue }
    }

    /// Whether a browser asks in advance if it may send a request (preflight).
    var isPreflight: Bool {
        get { self.storage.fields.isPreflight }
        set { self.fields.isPreflight = newValue }
    }

    /// Whether the preflight request comes from outside of this machine's network.
    var isFromPublicNetwork: Bool {
        get { self.storage.fields.isFromPublicNetwork }
        set { self.fields.isFromPublicNetwork = newValue }
    }

    static func == (left: RequestHead, right: RequestHead) -> Bool {
        left.rangeField == right.rangeField
            && (left.storage === right.storage || left.fields == right.fields)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.fields)
        hasher.combine(self.rangeField)
    }

    /// The requested range; ignored unless the method is GET (RFC 9110 §14.2).
    var range: RangeField {
        self.method == .get ? self.rangeField ?? .ignored : .ignored
    }

    /// The parts of a request that decide whether it is admitted.
    struct Address: Hashable, Sendable {
        let method: Method
        let target: String
        let isHTTP10: Bool
        let host: Host
    }

    /// Whether another request has the same ``address``; a fast check for requests that differ only
    /// in their range.
    func isAboutTheSame(as other: RequestHead) -> Bool {
        self.storage === other.storage || self.address == other.address
    }

    /// The parts of the request that decide whether it is admitted.
    var address: Address {
        Address(
            method: self.method,
            target: self.target,
            isHTTP10: self.isHTTP10,
            host: self.host
        )
    }

    /// Whether conditions of the request may change the answer.
    var isConditional: Bool {
        self.ifRange != nil || self.ifMatch != nil || self.ifNoneMatch != nil
    }
}

extension RequestHead {
    /// Copies the needed parts of a decoded head.
    init(_ head: HTTPRequestHead) {
        self.init(target: Self.inASCII(head.uri))
        switch head.method {
        case .GET: self.method = .get
        case .HEAD: self.method = .head
        case .OPTIONS: self.method = .options
        case .CONNECT:
            // NIO's decoder stops after CONNECT, as after an upgrade.
            self.method = .other("CONNECT")
            self.isFollowed = true
        default: self.method = .other(head.method.rawValue)
        }
        self.isHTTP10 = head.version == .http1_0
        self.keepsAlive = head.isKeepAlive
        for (name, value) in head.headers {
            guard let field = FieldName(name) else { continue }
            // The decoder leaves blanks at the end.
            var scanner = ASCIIScanner(value)
            self.take(field, String(scanner.textWithoutBlanks()))
        }
    }

    /// Stores the value of a field.
    ///
    /// Several fields of one name are one list (RFC 9110 §5.3).
    mutating func take(_ field: FieldName, _ value: String) {
        switch field {
        case .host: self.host = self.host == .missing ? .one(value) : .several
        // Several fields would be a list of several ranges, or an invalid one.
        case .range: self.rangeField = self.rangeField == nil ? RangeField(value) : .ignored
        case .authorization: Self.join(value, to: &self.authorization)
        case .secFetchDestination: Self.join(value, to: &self.fetchDestination)
        case .secFetchSite: Self.join(value, to: &self.fetchSite)
        case .origin: Self.join(value, to: &self.origin)
        case .ifMatch: Self.join(value, to: &self.ifMatch)
        case .ifNoneMatch: Self.join(value, to: &self.ifNoneMatch)
        case .ifRange: Self.join(value, to: &self.ifRange)
        case .contentLength: self.isFollowed = self.isFollowed || value != "0"
        case .transferEncoding, .upgrade: self.isFollowed = true
        case .accessControlRequestMethod: self.isPreflight = true
        case .accessControlRequestPrivateNetwork: self.isFromPublicNetwork = value == "true"
        case .cacheControl:
            self.isOnlyIfCached = self.isOnlyIfCached || Self.names(value, "only-if-cached")
        case .connection: break
        }
    }

    /// Whether a list of directives has this one without a value, in any case.
    private static func names(_ list: String, _ directive: StaticString) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { element in
            var scanner = ASCIIScanner(Substring(element))
            scanner.skipBlanks()
            guard scanner.skip(caseInsensitive: directive) else { return false }
            scanner.skipBlanks()
            return scanner.isAtEnd
        }
    }

    /// The target with its characters outside of ASCII percent-encoded, as in a URL.
    ///
    /// Swift strings with canonically equivalent characters are equal, but two such targets are two
    /// resources.
    private static func inASCII(_ target: String) -> String {
        // The decoder has replaced bytes that are not UTF-8; a target with replaced bytes is
        // refused later.
        guard !target.utf8.allSatisfy({ $0 < 0x80 }), !target.unicodeScalars.contains("\u{FFFD}")
        else { return target }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = target.utf8.flatMap { byte in
            byte < 0x80
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func join(_ value: String, to list: inout String?) {
        list = list.map { $0 + ", " + value } ?? value
    }
}
