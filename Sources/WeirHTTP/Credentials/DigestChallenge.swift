// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A `WWW-Authenticate: Digest` field (RFC 7616 §3.3), and the credentials for it (§3.4).
///
/// Supports MD5 and SHA-256, each also as a session (`-sess`), with `qop=auth` or, for old servers,
/// without `qop`.
struct DigestChallenge: Hashable {
    /// A hash that a server may ask for.
    enum Algorithm: String {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        var isSession: Bool { self == .md5Session || self == .sha256Session }
        var strength: Int { self == .sha256 || self == .sha256Session ? 2 : 1 }
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// Whether the server offers `qop=auth`.
    let hasQuality: Bool
    /// Whether the server refused the nonce as too old, so that the password may be right.
    let isStale: Bool

    /// The strongest supported challenge in the fields of a response.
    static func best(of fields: [String]) -> DigestChallenge? {
        fields.flatMap(AuthenticationChallenge.all).compactMap(DigestChallenge.init).max {
            $0.algorithm.strength < $1.algorithm.strength
        }
    }

    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.scheme.lowercased() == "digest", let realm = challenge.parameters["realm"],
            let nonce = challenge.parameters["nonce"]
        else { return nil }
        let name = challenge.parameters["algorithm"] ?? "MD5"
        let known: [Algorithm] = [.md5, .md5Session, .sha256, .sha256Session]
        guard let algorithm = known.first(where: { $0.rawValue.lowercased() == name.lowercased() })
        else { return nil }
        let qualities = challenge.parameters["qop"]?.split(separator: ",").map {
            $0.filter { !$0.isWhitespace }.lowercased()
        }
        if let qualities, !qualities.contains("auth") { return nil }
        self.realm = realm
        self.nonce = nonce
        self.opaque = challenge.parameters["opaque"]
        self.algorithm = algorithm
        self.hasQuality = qualities != nil
        self.isStale = challenge.parameters["stale"]?.lowercased() == "true"
    }

    /// The value of `Authorization` for a request.
    ///
    /// The target is path and query, as in the request line. The count is the number of uses of the
    /// nonce, including this one.
    func answer(
        user: String,
        password: String,
        method: String,
        target: String,
        count uses: UInt32,
        clientNonce: String
    ) -> String {
        let digits = String(uses, radix: 16)
        let count = String(repeating: "0", count: 8 - digits.count) + digits
        var secret = self.algorithm.hash("\(user):\(self.realm):\(password)")
        if self.algorithm.isSession {
            secret = self.algorithm.hash("\(secret):\(self.nonce):\(clientNonce)")
        }
        let what = self.algorithm.hash("\(method):\(target)")
        let middle =
            self.hasQuality
            ? "\(self.nonce):\(count):\(clientNonce):auth" : self.nonce
        var fields = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(self.realm))",
            "nonce=\(Self.quoted(self.nonce))", "uri=\(Self.quoted(target))",
            "algorithm=\(self.algorithm.rawValue)",
            "response=\"\(self.algorithm.hash("\(secret):\(middle):\(what)"))\"",
        ]
        if self.hasQuality { fields += ["qop=auth", "nc=\(count)"] }
        if self.hasQuality || self.algorithm.isSession {
            fields.append("cnonce=\(Self.quoted(clientNonce))")
        }
        if let opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        return "Digest \(fields.joined(separator: ", "))"
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal, two digits each.
    package var hexadecimal: String {
        self.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }
}
