// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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

    var method: Method = .get
    /// The request target as it came (RFC 9112 §3.2).
    var target: String
    var isHTTP10 = false
    /// Whether the client lets the connection stay open.
    var keepsAlive = true
    /// Whether something follows the head that must not be taken for the next request: a body, or
    /// another protocol.
    var isFollowed = false
    var host: Host = .missing
    /// The `Range` field.
    var rangeField: String?
    var ifRange: String?
    var ifMatch: String?
    var ifNoneMatch: String?
    /// Whether nothing may be fetched for the answer (RFC 9111 §5.2.1.7).
    var isOnlyIfCached = false
    /// The site whose page asks, as a browser names it.
    var origin: String?
    /// Whether a browser asks beforehand if it may ask.
    var isPreflight = false
    /// Whether that question is put from outside of this machine's network.
    var isFromPublicNetwork = false

    /// What the `Range` field asks for: nothing unless the method is GET (RFC 9110 §14.2).
    var range: RangeField {
        guard self.method == .get, let rangeField else { return .ignored }
        return RangeField(rangeField)
    }

    /// Whether the answer may be another than for the same request without conditions.
    var isConditional: Bool {
        self.ifRange != nil || self.ifMatch != nil || self.ifNoneMatch != nil
    }
}
