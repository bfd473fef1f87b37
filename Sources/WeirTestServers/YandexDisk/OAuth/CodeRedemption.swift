// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an application brings for tokens: RFC 6749 §4.1.3 with RFC 7636 §4.5.
struct CodeRedemption: Sendable {
    let code: String
    let verifier: String
    let redirectURI: String?

    init(_ arguments: Arguments) throws(Refusal) {
        self.code = try arguments.required("code")
        self.verifier = try arguments.required("code_verifier")
        // RFC 7636 §4.1.
        guard (43...128).contains(self.verifier.utf8.count),
            self.verifier.utf8.allSatisfy(Escaping.isUnreserved)
        else { throw .violation("The code_verifier is not 43 to 128 unreserved characters.") }
        self.redirectURI = arguments["redirect_uri"]
    }
}
