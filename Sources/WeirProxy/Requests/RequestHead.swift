// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// What the proxy has to know of a request: its line, and the fields that count here.
struct RequestHead: Hashable, Sendable {
    /// The methods that are told apart.
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

    /// How often there is a `Host` field.
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

    /// All but the range: the requests of one player for one resource are alike in it, and share it.
    private var storage: Storage

    private var fields: Fields {
        get { self.storage.fields }
        set { self.storage = Storage(newValue) }
    }

    /// What the `Range` field says; `nil` without one.
    var rangeField: RangeField?

    init(target: String) {
        self.storage = Storage(Fields(target: target))
    }

    var method: Method {
        get { self.storage.fields.method }
        set { self.fields.method = newValue }
    }

    /// The request target as it came (RFC 9112 §3.2).
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

    /// Whether something follows the head that must not be taken for the next request: a body, or
    /// another protocol.
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

    /// Whether nothing may be fetched for the answer (RFC 9111 §5.2.1.7).
    var isOnlyIfCached: Bool {
        get { self.storage.fields.isOnlyIfCached }
        set { self.fields.isOnlyIfCached = newValue }
    }

    /// The credential of a request for a page; never logged.
    var authorization: String? {
        get { self.storage.fields.authorization }
        set { self.fields.authorization = newValue }
    }

    /// How the site whose page asks is related to this one, as a browser says it (Fetch Metadata, `Sec-Fetch-Site`).
    var fetchSite: String? {
        get { self.storage.fields.fetchSite }
        set { self.fields.fetchSite = newValue }
    }

    /// What a browser will do with the answer (Fetch Metadata, `Sec-Fetch-Dest`).
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

    /// The site whose page asks, as a browser names it.
    var origin: String? {
        get { self.storage.fields.origin }
        set { self.fields.origin = newValue }
    }

    /// Whether a browser asks beforehand if it may ask.
    var isPreflight: Bool {
        get { self.storage.fields.isPreflight }
        set { self.fields.isPreflight = newValue }
    }

    /// Whether that question is put from outside of this machine's network.
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

    /// What the `Range` field asks for: nothing unless the method is GET (RFC 9110 §14.2).
    var range: RangeField {
        self.method == .get ? self.rangeField ?? .ignored : .ignored
    }

    /// What a request is about: all that decides whether it is let in.
    struct Address: Hashable, Sendable {
        let method: Method
        let target: String
        let isHTTP10: Bool
        let host: Host
    }

    /// Whether another request has the same ``address``; one comparison for requests that differ in the range alone.
    func isAboutTheSame(as other: RequestHead) -> Bool {
        self.storage === other.storage || self.address == other.address
    }

    /// What the request is about.
    var address: Address {
        Address(
            method: self.method,
            target: self.target,
            isHTTP10: self.isHTTP10,
            host: self.host
        )
    }

    /// Whether the answer may be another than for the same request without conditions.
    var isConditional: Bool {
        self.ifRange != nil || self.ifMatch != nil || self.ifNoneMatch != nil
    }
}

extension RequestHead {
    /// Takes what counts out of a decoded head.
    init(_ head: HTTPRequestHead) {
        self.init(target: Self.inASCII(head.uri))
        switch head.method {
        case .GET: self.method = .get
        case .HEAD: self.method = .head
        case .OPTIONS: self.method = .options
        case .CONNECT:
            // NIO's decoder stops after it, as after an upgrade.
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

    /// Takes a field.
    ///
    /// Several fields of one name are one list (RFC 9110 §5.3).
    mutating func take(_ field: FieldName, _ value: String) {
        switch field {
        case .host: self.host = self.host == .missing ? .one(value) : .several
        // Several are a list of several ranges, or none.
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

    /// Whether a list of directives has one that has no value, in whatever case it stands there.
    private static func names(_ list: String, _ directive: StaticString) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { element in
            var scanner = ASCIIScanner(Substring(element))
            scanner.skipBlanks()
            guard scanner.skip(caseInsensitive: directive) else { return false }
            scanner.skipBlanks()
            return scanner.isAtEnd
        }
    }

    /// The target with letters outside of ASCII percent-encoded, as a URL has them.
    ///
    /// Two targets of which a string says that they are the same, since their letters look alike, are two resources.
    private static func inASCII(_ target: String) -> String {
        // What is no UTF-8 was replaced, and is refused.
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
