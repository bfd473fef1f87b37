// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The cookies that the responses for one resource have set (RFC 6265), in memory only.
///
/// The jar sends every cookie only to the host that has set it, whatever its `Domain` says. It
/// refuses a cookie whose `Domain` does not cover that host (§5.3). Path and `Secure` are respected
/// as in §5.4. The cookies of a host are bounded; the oldest ones are dropped first.
struct CookieJar: Sendable {
    /// How many cookies one host may set.
    static let maximumCount = 50
    /// How many bytes the names, values and paths of one host's cookies may have in total.
    static let maximumSize = 16 * 1024
    /// How many hosts may set cookies.
    static let maximumHosts = 16

    private struct Cookie: Sendable {
        let name: String
        let value: String
        let path: String
        let isSecure: Bool
        /// The end of the cookie; `nil` if it lasts as long as the jar.
        let end: Duration?

        var size: Int { self.name.utf8.count + self.value.utf8.count + self.path.utf8.count }

        /// Whether the cookie is sent for a path (§5.1.4).
        func matches(_ path: String) -> Bool {
            guard path.hasPrefix(self.path) else { return false }
            return path.utf8.count == self.path.utf8.count || self.path.hasSuffix("/")
                || path.utf8.dropFirst(self.path.utf8.count).first == UInt8(ascii: "/")
        }
    }

    /// The cookies by host, in the order in which they were first set.
    private var cookies: [String: [Cookie]] = [:]

    /// Whether the jar is empty.
    var isEmpty: Bool { self.cookies.isEmpty }

    /// Takes the cookies of a response.
    ///
    /// `Expires` counts from the response's own `Date`, so that the origin's clock need not be
    /// right. In a response without `Date` it counts from 1970, so that the cookie lasts as long as
    /// a cookie may: 366 days.
    mutating func received(_ headers: HTTPHeaderList, from url: OriginURL, at now: Duration) {
        let values = headers.values(of: "Set-Cookie")
        guard !values.isEmpty else { return }
        let date = headers["Date"].flatMap(Int64.init(httpDate:)) ?? 0
        for value in values.suffix(Self.maximumCount) where value.utf8.count <= Self.maximumSize {
            if let cookie = Self.cookie(value, from: url, at: now, date: date) {
                self.set(cookie, of: url.host, at: now)
            }
        }
    }

    /// Removes expired cookies.
    mutating func expire(at now: Duration) {
        guard !self.isEmpty else { return }
        for (host, cookies) in self.cookies {
            let left = cookies.filter { $0.end.map { now < $0 } ?? true }
            self.cookies[host] = left.isEmpty ? nil : left
        }
    }

    /// Adds the cookies for an address to the fields of a request.
    ///
    /// The user's own cookies come first; a cookie of the jar with the same name is left out.
    func add(to headers: inout HTTPHeaderList, for url: OriginURL) {
        guard let all = self.cookies[url.host] else { return }
        let own = headers["Cookie"]
        let names = own.map { $0.split(separator: ";").map { Self.pair($0).name } } ?? []
        let mine = all.enumerated().filter { _, cookie in
            (!cookie.isSecure || url.scheme == .https) && cookie.matches(url.path)
                && !names.contains(cookie.name)
        }
        guard !mine.isEmpty else { return }
        // Longer paths first, then the order of setting (§5.4).
        let pairs = mine.sorted { left, right in
            let (a, b) = (left.element.path.utf8.count, right.element.path.utf8.count)
            return a == b ? left.offset < right.offset : a > b
        }.map { "\($0.element.name)=\($0.element.value)" }
        let place = headers.first(named: "Cookie")?.place
        headers.remove("Cookie")
        headers.append(
            "Cookie",
            ((own.map { [$0] } ?? []) + pairs).joined(separator: "; "),
            readIn: place
        )
    }

    private mutating func set(_ cookie: Cookie, of host: String, at now: Duration) {
        var cookies = self.cookies[host] ?? []
        let index = cookies.firstIndex { $0.name == cookie.name && $0.path == cookie.path }
        if let end = cookie.end, end <= now {
            if let index { cookies.remove(at: index) }
        } else if let index {
            cookies[index] = cookie
        } else {
            guard !cookies.isEmpty || self.cookies.count < Self.maximumHosts else { return }
            cookies.append(cookie)
        }
        while cookies.count > Self.maximumCount
            || cookies.reduce(0, { $0 + $1.size }) > Self.maximumSize
        {
            cookies.removeFirst()
        }
        self.cookies[host] = cookies.isEmpty ? nil : cookies
    }
}

/// The `Set-Cookie` field (§5.2).
extension CookieJar {
    private static func cookie(
        _ value: String,
        from url: OriginURL,
        at now: Duration,
        date: Int64
    ) -> Cookie? {
        var parts = value.split(separator: ";", omittingEmptySubsequences: false)[...]
        guard let first = parts.popFirst(), first.utf8.contains(UInt8(ascii: "=")) else {
            return nil
        }
        let (name, content) = Self.pair(first)
        guard !name.isEmpty, first.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        var (path, isSecure) = (Self.defaultPath(url.path), false)
        var (expiry, lifetime): (Int64?, Int64?) = (nil, nil)
        for part in parts {
            let (key, value) = Self.pair(part)
            switch key.lowercased() {
            case "secure":
                isSecure = true
            case "path":
                path = value.hasPrefix("/") ? value : Self.defaultPath(url.path)
            case "max-age":
                lifetime = Self.seconds(value) ?? lifetime
            case "expires":
                expiry = Int64(httpDate: value).map { $0 - date } ?? expiry
            case "domain":
                let domain = value.drop { $0 == "." }.lowercased()
                guard domain.isEmpty || url.host == domain || url.host.hasSuffix(".\(domain)")
                else { return nil }
            default:
                break
            }
        }
        return Cookie(
            name: name,
            value: content,
            path: path,
            isSecure: isSecure,
            end: (lifetime ?? expiry).map { now + .seconds(max(0, min($0, Self.longest))) }
        )
    }

    /// The longest lifetime of a cookie, 366 days in seconds.
    private static let longest: Int64 = 366 * 86_400

    /// `name=value` without blanks around either; without an equals sign the whole text is the
    /// name.
    private static func pair(_ text: Substring) -> (name: String, value: String) {
        let name = text.prefix { $0 != "=" }
        return (Self.trimmed(name), Self.trimmed(text[name.endIndex...].dropFirst()))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.utf8.first, first.isBlank { text.removeFirst() }
        while let last = text.utf8.last, last.isBlank { text.removeLast() }
        return String(text)
    }

    /// The value of `Max-Age` (§5.2.2): zero for a negative number; `nil` if the text is not a
    /// number.
    private static func seconds(_ text: String) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return isNegative ? 0 : Int64(decimalDigits: digits) ?? Self.longest
    }

    /// The path of a cookie without `Path` (§5.1.4): the folder of the requested path.
    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else {
            return "/"
        }
        return String(path[..<slash])
    }
}

extension CookieJar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of hosts; a cookie may be a credential.
    var description: String { "cookies of \(self.cookies.count) hosts" }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Shows no cookies.
    var customMirror: Mirror { Mirror(self, children: ["hosts": self.cookies.count]) }
}
