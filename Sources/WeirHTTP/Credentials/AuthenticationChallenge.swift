// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
///
/// ```
/// Basic realm="a", Digest realm="b", nonce="c", qop="auth,auth-int"
/// ```
///
/// Commas separate both parameters and challenges. A word starts a challenge unless `=` follows it.
struct AuthenticationChallenge: Hashable {
    var scheme: String
    /// The parameters by name; the names are in lower case.
    var parameters: [String: String] = [:]

    /// Reads all challenges of a field; unreadable parts are left out.
    static func all(in field: String) -> [AuthenticationChallenge] {
        var rest = field[...].unicodeScalars
        var challenges: [AuthenticationChallenge] = []
        while !rest.isEmpty {
            rest.skip(" \t,")
            let word = rest.takeWord()
            guard !word.isEmpty else {
                rest = rest.dropFirst()
                continue
            }
            if rest.takeEquals() {
                let value = rest.takeValue()
                if !challenges.isEmpty {
                    challenges[challenges.count - 1].parameters[word.lowercased()] = value
                }
            } else {
                challenges.append(AuthenticationChallenge(scheme: word))
            }
        }
        return challenges
    }
}

/// Reads the rest of a field piece by piece.
extension Substring.UnicodeScalarView {
    fileprivate mutating func skip(_ signs: String) {
        self = self.drop { signs.unicodeScalars.contains($0) }
    }

    fileprivate mutating func takeWord() -> String {
        let word = self.prefix { !" \t,=\"".unicodeScalars.contains($0) }
        self = self[word.endIndex...]
        return String(String.UnicodeScalarView(word))
    }

    /// Takes an equals sign at the start, and the blanks around it.
    fileprivate mutating func takeEquals() -> Bool {
        var rest = self
        rest.skip(" \t")
        guard rest.popFirst() == "=" else { return false }
        rest.skip(" \t")
        self = rest
        return true
    }

    /// Takes a word, or the text between two quotes.
    fileprivate mutating func takeValue() -> String {
        guard self.first == "\"" else { return self.takeWord() }
        self = self.dropFirst()
        var value = String.UnicodeScalarView()
        while let next = self.popFirst(), next != "\"" {
            if next == "\\", let escaped = self.popFirst() {
                value.append(escaped)
            } else {
                value.append(next)
            }
        }
        return String(value)
    }
}
