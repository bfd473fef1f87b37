// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One way in which a station's answer differs from a correct `HTTP/1.0 200 OK`.
///
/// Numbers of bytes count the sound, or other bytes in its place, and not the titles.
public enum RadioQuirk: Sendable, Hashable {
    /// The answer begins with `ICY 200 OK`.
    case icy
    /// The answer begins with `HTTP/1.1 200 OK` and lasts until the connection closes.
    case http11
    /// The answer is HTTP/1.1 in the chunked coding.
    case chunked
    /// Lines of the head end with a line feed alone.
    case lineFeeds
    /// Fields are written without a blank: `icy-br:128`.
    case tightColons
    /// Fields are written with a blank before the colon: `icy-br : 128`.
    case looseColons
    /// Names and titles are in ISO 8859-1.
    case latin1
    /// The number of bytes between titles; 0 for a station without titles.
    case metaint(Int)
    /// The body is written in portions of these sizes, one after the other, over and over, each
    /// separately.
    case portions([Int])
    /// An HTML page replaces the sound, with status 200.
    case page
    /// The head breaks off in its middle, and the connection ends.
    case halfHead
    /// Another status than 200.
    case status(Int, retryAfter: Int? = nil)
    /// The stream is at another address, which holds a token: 302.
    ///
    /// The token lasts for this many seconds and requests; afterwards its answer is 403. `nil`
    /// means no limit.
    case redirect(life: Double? = nil, uses: Int? = nil)
    /// This many bytes that are not sound come first.
    case garbage(Int64)
    /// The connection closes after this many seconds.
    case close(seconds: Double)
    /// The connection closes after this many bytes.
    case cut(after: Int64)
    /// After this many bytes there is silence for this many seconds; `nil`: until
    /// ``RadioServer/endStalls()``.
    case stall(after: Int64, seconds: Double? = nil)
    /// After this many bytes the programme's second file is sent, from its start, under the type of
    /// the first.
    case change(after: Int64)
    /// When the connection has ended, no other one is accepted for this many seconds.
    case refuse(seconds: Double)
}

extension RadioQuirk: LosslessStringConvertible {
    /// The written forms with their meanings, for people.
    public static let summaries = [
        "icy: The answer begins with ICY 200 OK",
        "http11: The answer is HTTP/1.1, until the connection closes",
        "chunked: The answer is HTTP/1.1 in chunks",
        "lf: Lines of the head end with a line feed alone",
        "tight: Fields have no blank after the colon",
        "loose: Fields have a blank before the colon",
        "latin1: Names and titles are in ISO 8859-1",
        "metaint=BYTES: The bytes between titles, 8192; 0 for no titles",
        "portions=A/B/C: The body is written in portions of these sizes",
        "page: A page comes instead of sound: 200",
        "half-head: The head breaks off, with the connection",
        "status=NUMBER[/SECONDS]: Another status, with Retry-After",
        "redirect[=SECONDS[/TIMES]]: 302 to a token that lasts for this time, this often; then 403",
        "garbage=BYTES: This many bytes that are not sound come first",
        "close=SECONDS: The connection is closed after this time",
        "cut=BYTES: The connection is closed after this many bytes",
        "stall=BYTES[/SECONDS]: After this many bytes the server sends nothing for this time, or for ever",
        "change=BYTES: After this many bytes the second file is sent",
        "refuse=SECONDS: Afterwards no connection is taken for this time",
    ]

    /// The written form: a name, and numbers after an equals sign.
    public var description: String {
        switch self {
        case .icy: "icy"
        case .http11: "http11"
        case .chunked: "chunked"
        case .lineFeeds: "lf"
        case .tightColons: "tight"
        case .looseColons: "loose"
        case .latin1: "latin1"
        case .metaint(let count): "metaint=\(count)"
        case .portions(let sizes): "portions=\(sizes.map(String.init).joined(separator: "/"))"
        case .page: "page"
        case .halfHead: "half-head"
        case .status(let status, nil): "status=\(status)"
        case .status(let status, let delay?): "status=\(status)/\(delay)"
        case .redirect(nil, nil): "redirect"
        case .redirect(let life, nil): "redirect=\(life ?? 0)"
        case .redirect(let life, let uses?): "redirect=\(life.map { "\($0)" } ?? "")/\(uses)"
        case .garbage(let count): "garbage=\(count)"
        case .close(let seconds): "close=\(seconds)"
        case .cut(let count): "cut=\(count)"
        case .stall(let count, nil): "stall=\(count)"
        case .stall(let count, let seconds?): "stall=\(count)/\(seconds)"
        case .change(let count): "change=\(count)"
        case .refuse(let seconds): "refuse=\(seconds)"
        }
    }

    /// Reads the written form.
    ///
    /// - Parameter description: as `icy`, `metaint=255` or `stall=65536/5`.
    public init?(_ description: String) {
        let halves = description.split(separator: "=", maxSplits: 1)
        guard let name = halves.first else { return nil }
        let texts =
            halves.count < 2
            ? [] : halves[1].split(separator: "/", omittingEmptySubsequences: false)
        let numbers = texts.map { Double($0) }
        // An empty number means "no limit", and is only read where a limit may be absent.
        guard zip(texts, numbers).allSatisfy({ $0.isEmpty || $1.map(Self.isSound) == true }) else {
            return nil
        }
        guard let quirk = Self.plain(name, numbers) ?? Self.measured(name, numbers) else {
            return nil
        }
        self = quirk
    }

    private static func isSound(_ number: Double) -> Bool { number >= 0 && number <= 1e12 }

    private static func plain(_ name: Substring, _ numbers: [Double?]) -> RadioQuirk? {
        guard numbers.isEmpty else { return nil }
        switch name {
        case "icy": return .icy
        case "http11": return .http11
        case "chunked": return .chunked
        case "lf": return .lineFeeds
        case "tight": return .tightColons
        case "loose": return .looseColons
        case "latin1": return .latin1
        case "page": return .page
        case "half-head": return .halfHead
        case "redirect": return .redirect()
        default: return nil
        }
    }

    private static func measured(_ name: Substring, _ numbers: [Double?]) -> RadioQuirk? {
        let second = numbers.count > 1 ? numbers[1] : nil
        if name == "redirect", numbers.count <= 2, let life = numbers.first {
            return .redirect(life: life, uses: second.map { Int($0) })
        }
        guard let first = numbers.first, let first else { return nil }
        if name == "portions" {
            let sizes = numbers.compactMap { $0.map { Int($0) } }
            return sizes.count == numbers.count && !sizes.contains(0) ? .portions(sizes) : nil
        }
        switch (name, numbers.count) {
        case ("metaint", 1): return .metaint(Int(first))
        case ("status", 1), ("status", 2):
            guard (100...999).contains(first) else { return nil }
            return .status(Int(first), retryAfter: second.map { Int($0) })
        case ("garbage", 1): return .garbage(Int64(first))
        case ("close", 1): return .close(seconds: first)
        case ("cut", 1): return .cut(after: Int64(first))
        case ("stall", 1), ("stall", 2): return .stall(after: Int64(first), seconds: second)
        case ("change", 1): return .change(after: Int64(first))
        case ("refuse", 1): return .refuse(seconds: first)
        default: return nil
        }
    }
}
