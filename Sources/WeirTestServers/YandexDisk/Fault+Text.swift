// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Fault: LosslessStringConvertible {
    /// The written form.
    public var description: String {
        var text = self.name.rawValue
        if let value { text += "=\(value)" }
        if let remaining { text += "*\(remaining)" }
        if let host { text += "@\(host.rawValue)" }
        return text
    }

    /// Reads the written form.
    ///
    /// - Parameter description: as `link-gone`, `body-cut=1000*2` or `rate-limited=3*2@api`.
    public init?(_ description: String) {
        var rest = description[...]
        let host = Self.cut(&rest, at: "@")
        let times = Self.cut(&rest, at: "*")
        let value = Self.cut(&rest, at: "=")
        guard let name = Name(rawValue: String(rest)) else { return nil }
        self.init(name)
        if let host {
            guard let host = ServiceHost(rawValue: String(host)), name.hosts.contains(host) else {
                return nil
            }
            self.host = host
        }
        if let times {
            guard let times = Int(times), times >= 0 else { return nil }
            self.remaining = times
        }
        if let value {
            guard let value = Int64(value) else { return nil }
            self.value = value
        }
    }

    /// Cuts off the text after the last occurrence of a character.
    private static func cut(_ text: inout Substring, at mark: Character) -> Substring? {
        guard let index = text.lastIndex(of: mark) else { return nil }
        defer { text = text[..<index] }
        return text[text.index(after: index)...]
    }
}

extension Fault: Codable {
    /// Reads the written form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let fault = Fault(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\(text) is not a fault."
            )
        }
        self = fault
    }

    /// Writes the written form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}

extension Fault.Name {
    /// The fault in a line for people, with the meaning of its number.
    public var summary: String {
        switch self {
        case .linkGone:
            "The link has expired: 410"
        case .linkBroken:
            "The link has expired or is damaged: 500"
        case .linkForbidden:
            "The link is refused: 403"
        case .linkUnauthorized:
            "The link is refused: 401"
        case .linkMissing:
            "The link leads nowhere: 404"
        case .linkRedirected:
            "The link leads to another host: 302, with a cookie"
        case .pageInstead:
            "A page comes instead of media: 200, as from a network that requires a log-in"
        case .tokenRefused:
            "A valid token is refused: 401"
        case .refreshRefused:
            "A valid refresh token is refused, and stays valid: 400 invalid_grant"
        case .authorizationDenied:
            "The person says no: access_denied"
        case .rateLimited:
            "Too many requests: 429; the number is for Retry-After, which is missing without it"
        case .downloadLimit:
            "A public file has been downloaded too often: 429, for good"
        case .forbidden:
            "There is no permission: 403"
        case .locked:
            "The file is locked: 423"
        case .unavailable:
            "The service is down: 503; the number is for Retry-After, which is missing without it"
        case .diskFull:
            "The disk is full: 507"
        case .jsonMalformed:
            "The JSON is not JSON"
        case .jsonTruncated:
            "The JSON ends in the middle, as if it were complete"
        case .noReadyLink:
            "The description of a file has no ready link"
        case .linkOfOtherScheme:
            "The link is no HTTP URL"
        case .fileChanged:
            "The file is changed just before the link is made"
        case .wrongRangeStart:
            "Content-Range has another start; the number is by how much, 1"
        case .wrongRangeTotal:
            "Content-Range has another length of the file; the number is by how much, 1"
        case .unknownRangeTotal:
            "Content-Range has no length of the file"
        case .rangeIgnored:
            "The whole file comes for a part of it"
        case .bodyCut:
            "The connection ends in the body; the number is after how many bytes, 0"
        case .bodyStalled:
            "The body stops and the connection stays; the number is after how many"
                + " bytes, 0"
        case .slowFirstByte:
            "The answer comes late; the number is milliseconds, 1000"
        case .answerLost:
            "The service performs the request, but the connection ends before the answer"
        }
    }
}
