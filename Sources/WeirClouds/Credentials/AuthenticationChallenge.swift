// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
///
/// ```
/// Basic realm="a", Digest realm="b", nonce="c", qop="auth,auth-int"
/// ```
///
/// A comma stands between parameters as well as between challenges: a word that is followed by another word, and not
/// by `=`, starts a challenge.
struct AuthenticationChallenge: Hashable {
    var scheme: String
    /// The names are in lower case.
    var parameters: [String: String] = [:]

    /// Reads all challenges of a field; what cannot be read is left out.
    static func all(in field: String) -> [AuthenticationChallenge] {
        var scanner = Scanner(field)
        var challenges: [AuthenticationChallenge] = []
        while !scanner.isAtEnd {
            scanner.skipSeparators()
            let word = scanner.word()
            guard !word.isEmpty else {
                scanner.skipOne()
                continue
            }
            if scanner.takes("=") {
                let value = scanner.value()
                if !challenges.isEmpty {
                    challenges[challenges.count - 1].parameters[word.lowercased()] = value
                }
            } else {
                challenges.append(AuthenticationChallenge(scheme: word))
            }
        }
        return challenges
    }

    private struct Scanner {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) {
            self.rest = text[...].unicodeScalars
        }

        var isAtEnd: Bool { self.rest.isEmpty }

        mutating func skipOne() {
            self.rest = self.rest.dropFirst()
        }

        mutating func skipSeparators() {
            self.rest = self.rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
        }

        mutating func skipBlanks() {
            self.rest = self.rest.drop { $0 == " " || $0 == "\t" }
        }

        mutating func word() -> String {
            let word = self.rest.prefix { !" \t,=\"".unicodeScalars.contains($0) }
            self.rest = self.rest[word.endIndex...]
            return String(String.UnicodeScalarView(word))
        }

        mutating func takes(_ sign: Unicode.Scalar) -> Bool {
            let before = self.rest
            self.skipBlanks()
            guard self.rest.first == sign else {
                self.rest = before
                return false
            }
            self.skipOne()
            self.skipBlanks()
            return true
        }

        mutating func value() -> String {
            guard self.rest.first == "\"" else { return self.word() }
            self.skipOne()
            var value = String.UnicodeScalarView()
            while let next = self.rest.popFirst(), next != "\"" {
                if next == "\\", let escaped = self.rest.popFirst() {
                    value.append(escaped)
                } else {
                    value.append(next)
                }
            }
            return String(value)
        }
    }
}
