// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The authorization server, at which nobody sits: whatever is asked rightly is granted at once.
extension YandexDiskMachine {
    mutating func answerOAuth(
        _ request: ServerRequest,
        now: Double
    ) throws(Refusal) -> ServerAnswer {
        switch (request.method, request.path) {
        case ("GET", "/authorize"): return try self.authorize(request, now: now)
        case ("POST", "/token"): return try self.token(request, now: now)
        case ("GET", "/verification_code"):
            let arguments = try Arguments(
                query: request.query,
                known: ["code", "error", "state"]
            )
            return .text(200, "text/plain", (arguments["code"] ?? arguments["error"] ?? "") + "\n")
        default: throw .violation("There is nothing to \(request.method) at \(request.path).")
        }
    }

    private mutating func authorize(
        _ request: ServerRequest,
        now: Double
    ) throws(Refusal) -> ServerAnswer {
        guard request.value("authorization") == nil else {
            throw .violation("Authorization was sent to the page of the log-in.")
        }
        let asked = try AuthorizationRequest(
            query: request.query,
            clientID: self.account.clientID
        )
        try self.refuseByFault(at: .oauth)
        if self.behaviour.take(.authorizationDenied, at: .oauth) != nil {
            return .redirect(to: asked.location("error", "access_denied"))
        }
        let code = self.tokens.issueCode(for: asked, until: now + self.behaviour.codeLife)
        return .redirect(to: asked.location("code", code))
    }

    private mutating func token(
        _ request: ServerRequest,
        now: Double
    ) throws(Refusal) -> ServerAnswer {
        let asked = try TokenRequest(request, self.account)
        try self.refuseByFault(at: .oauth)
        let life = self.behaviour.tokenLife
        switch asked.grant {
        case .code(let redemption):
            return try self.tokens.redeem(redemption, now: now, life: life).answer
        case .refresh(let token):
            if self.behaviour.take(.refreshRefused, at: .oauth) != nil {
                throw .answer(.oauthError("invalid_grant", "Refresh token has expired"))
            }
            return try self.tokens.renew(token, now: now, life: life).answer
        }
    }
}

/// What a browser brings to the authorization server: RFC 6749 §4.1.1 with RFC 7636 §4.3.
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
    ///   - query: what follows the question mark.
    ///   - clientID: the application that is known.
    /// - Throws: ``Refusal`` with a sentence.
    init(query: String?, clientID: String) throws(Refusal) {
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
        else { throw .violation("The code_challenge is no SHA-256 in base64url without padding.") }
        self.state = try arguments.required("state")
        self.redirectURI = try arguments.required("redirect_uri")
        guard let url = URL(string: self.redirectURI), url.scheme != nil, url.fragment == nil else {
            throw .violation("The redirect_uri is no URL, or has a fragment.")
        }
    }

    /// Where the browser is sent with a code, or with an error.
    func location(_ name: String, _ value: String) -> String {
        let mark = self.redirectURI.contains("?") ? "&" : "?"
        return "\(self.redirectURI)\(mark)\(name)=\(Escaping.escaped(value))"
            + "&state=\(Escaping.escaped(self.state))"
    }

    /// What is wrong with an attempt to redeem the code of this request; `nil` if nothing is.
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

/// What comes to the token endpoint: who asks, and for what.
struct TokenRequest: Sendable {
    enum Grant: Sendable {
        case code(CodeRedemption)
        case refresh(String)
    }

    private static let known: Set<String> = [
        "client_id", "client_secret", "code", "code_verifier", "device_id", "device_name",
        "grant_type", "redirect_uri", "refresh_token",
    ]

    let grant: Grant

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - request: what came.
    ///   - account: the application that is known.
    /// - Throws: ``Refusal`` with a sentence, or with what RFC 6749 answers.
    init(_ request: ServerRequest, _ account: YandexDiskAccount) throws(Refusal) {
        guard request.query == nil else { throw .violation("The token endpoint has no arguments.") }
        let type = request.value("content-type")?.lowercased()
        guard type?.prefix(while: { $0 != ";" }) == "application/x-www-form-urlencoded" else {
            throw .violation("The body of a token request is no form, but \(type ?? "nothing").")
        }
        let arguments = try Arguments(form: request.body, known: Self.known)
        try Self.checkClient(arguments, request.value("authorization"), account)
        switch try arguments.required("grant_type") {
        case "authorization_code": self.grant = .code(try CodeRedemption(arguments))
        case "refresh_token": self.grant = .refresh(try arguments.required("refresh_token"))
        case let type:
            throw .answer(
                .oauthError("unsupported_grant_type", "grant_type is unknown"),
                violation: "The grant_type \(type) is unknown."
            )
        }
    }

    /// Looks at who asks: in the body, with a secret or without, or with HTTP Basic.
    private static func checkClient(
        _ arguments: Arguments,
        _ authorization: String?,
        _ account: YandexDiskAccount
    ) throws(Refusal) {
        var (name, secret) = (arguments["client_id"], arguments["client_secret"])
        if let authorization {
            guard let credentials = BasicCredentials(authorization) else {
                throw .violation("Authorization at the token endpoint is not Basic.")
            }
            guard secret == nil, name == nil || name == credentials.name else {
                throw .violation("The client says who it is in two ways.")
            }
            (name, secret) = (credentials.name, credentials.password)
        }
        guard let name else { throw .violation("The token request does not say whose it is.") }
        guard name == account.clientID, secret == nil || secret == account.clientSecret else {
            throw .answer(
                .oauthError("invalid_client", "Client is unknown or its secret is wrong"),
                violation: "The client \(name) is unknown, or its secret is wrong."
            )
        }
    }
}
