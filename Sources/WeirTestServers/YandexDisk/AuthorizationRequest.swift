// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// A browser's request to the authorization server: RFC 6749 §4.1.1 with RFC 7636 §4.3.
struct AuthorizationRequest: Sendable {
    private static let known: Set<String> = [
        "client_id", "code_challenge", "code_challenge_method", "device_id", "device_name",
        "force_confirm", "login_hint", "optional_scope", "redirect_uri", "response_type", "scope",
        "state",
    ]

    let redirectURI: String
    let state: String
    private let challenge: String

    /// Reads the query.
    ///
    /// - Parameters:
    ///   - query: the text after the question mark.
    ///   - clientID: the known application.
    /// - Throws: ``ServerError`` with a sentence.
    init(query: String?, clientID: String) throws(ServerError) {
        let arguments = try Arguments(query: query, known: Self.known)
        let client = try arguments.required("client_id")
        guard client == clientID else { throw .violation("The client \(client) is unknown.") }
        guard try arguments.required("response_type") == "code" else {
            throw .violation("The response_type is not code.")
        }
        guard try arguments.required("code_challenge_method") == "S256" else {
            throw .violation("The code_challenge_method is not S256.")
        }
        self.challenge = try arguments.required("code_challenge")
        // A SHA-256 has 43 characters of base64url.
        guard self.challenge.utf8.count == 43,
            self.challenge.allSatisfy({
                $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
            })
        else {
            throw .violation("The code_challenge is not a SHA-256 in base64url without padding.")
        }
        self.state = try arguments.required("state")
        self.redirectURI = try arguments.required("redirect_uri")
        guard let url = URL(string: self.redirectURI), url.scheme != nil, url.fragment == nil else {
            throw .violation("The redirect_uri is not a URL, or has a fragment.")
        }
    }

    /// The address to which the browser is sent with a code, or with an error.
    func location(_ name: String, _ value: String) -> String {
        let mark = self.redirectURI.contains("?") ? "&" : "?"
        return "\(self.redirectURI)\(mark)\(name)=\(value.escaped())"
            + "&state=\(self.state.escaped())"
    }

    /// Why an attempt to redeem the code of this request is wrong; `nil` if it is right.
    func mismatch(with redemption: CodeRedemption) -> String? {
        if let redirectURI = redemption.redirectURI, redirectURI != self.redirectURI {
            return "The redirect_uri is not that of the authorization."
        }
        let digest = Data(SHA256.hash(data: Data(redemption.verifier.utf8)))
        let challenge = digest.base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        guard challenge == self.challenge else {
            return "The code_verifier does not match the code_challenge."
        }
        return nil
    }
}
