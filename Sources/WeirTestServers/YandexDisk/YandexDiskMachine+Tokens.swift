// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Who may come in.
extension YandexDiskMachine {
    /// Looks at the token of a request to the API or to WebDAV.
    mutating func checkToken(
        _ request: ServerRequest,
        at host: ServiceHost,
        now: Double
    ) throws(Refusal) {
        guard let field = request.value("authorization") else {
            throw .answer(host.unauthorized, violation: "The field Authorization is missing.")
        }
        if host == .webdav, let credentials = BasicCredentials(field) {
            guard credentials.name == self.account.login,
                self.account.appPasswords.contains(credentials.password)
            else { throw .answer(host.unauthorized) }
        } else {
            guard field.hasPrefix("OAuth "), !field.dropFirst(6).contains(" ") else {
                let scheme = field.prefix { $0 != " " }
                throw .violation("Authorization has the scheme \(scheme), not OAuth.")
            }
            let standing = self.tokens.standing(of: String(field.dropFirst(6)), now: now)
            guard standing == .valid else { throw .answer(host.unauthorized) }
        }
        if self.behaviour.take(.tokenRefused, at: host) != nil { throw .answer(host.unauthorized) }
    }

    /// Looks for secrets where they do not belong: in a URL.
    func checkSecrets(of request: ServerRequest) throws(Refusal) {
        for pair in (request.query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            let name = halves.first?.lowercased() ?? ""
            let value = halves.count == 2 ? String(halves[1]) : ""
            let names = ["access_token", "oauth_token", "authorization"]
            let plain = value.replacing("%3A", with: ":")
            guard names.contains(name) || self.tokens.isToken(plain) else { continue }
            throw .violation("There is a token in a URL, as the argument \(name).")
        }
    }
}

extension ServiceHost {
    /// What a server answers whose visitor is nobody.
    fileprivate var unauthorized: ServerAnswer {
        guard self == .webdav else {
            return .apiError(401, "UnauthorizedError", "Unauthorized")
        }
        var answer = ServerAnswer.page(401)
        answer.fields.append(HeaderField("WWW-Authenticate", "Basic realm=\"Yandex.Disk\""))
        return answer
    }
}

/// What an authorization server has given out, and what has become of it.
struct TokenTable: Sendable {
    /// What a person has agreed to: everything that comes from one code.
    private struct Grant: Sendable {
        var isRevoked = false
    }

    private struct Code: Sendable {
        var request: AuthorizationRequest
        var expiry: Double
        var grant: Int?
    }

    private struct Access: Sendable {
        var grant: Int
        var expiry: Double
    }

    private struct Refresh: Sendable {
        var grant: Int
        var isUsed = false
    }

    enum Standing: Sendable, Equatable {
        case valid
        case expired
        case unknown
    }

    private let fixed: Set<String>
    private let key: SymmetricKey
    private var counter: UInt64 = 0
    private var grants: [Grant] = []
    private var codes: [String: Code] = [:]
    private var access: [String: Access] = [:]
    private var refresh: [String: Refresh] = [:]

    init(fixed: Set<String>, key: SymmetricKey) {
        self.fixed = fixed
        self.key = key
    }

    /// Whether a token opens the disk.
    func standing(of token: String, now: Double) -> Standing {
        if self.fixed.contains(token) { return .valid }
        guard let access = self.access[token], !self.grants[access.grant].isRevoked else {
            return .unknown
        }
        return now < access.expiry ? .valid : .expired
    }

    /// Whether a text is a token of any kind, even one that is worth nothing any more.
    func isToken(_ text: String) -> Bool {
        self.fixed.contains(text) || self.access[text] != nil || self.refresh[text] != nil
    }

    /// Gives out a code.
    mutating func issueCode(for request: AuthorizationRequest, until expiry: Double) -> String {
        let code = String(self.unguessable().prefix(16))
        self.codes[code] = Code(request: request, expiry: expiry)
        return code
    }

    /// Takes a code for tokens.
    ///
    /// Whoever shows one twice loses what the first time gave.
    mutating func redeem(
        _ redemption: CodeRedemption,
        now: Double,
        life: Double
    ) throws(Refusal) -> TokenPair {
        guard let code = self.codes[redemption.code] else {
            throw .answer(.oauthError("invalid_grant", "Code is unknown"))
        }
        if let grant = code.grant {
            self.grants[grant].isRevoked = true
            throw .answer(
                .oauthError("invalid_grant", "Code has been used"),
                violation: "A code was shown twice."
            )
        }
        guard now < code.expiry else {
            throw .answer(.oauthError("invalid_grant", "Code has expired"))
        }
        // The code is used up by a wrong attempt, too: nobody gets a second guess.
        self.grants.append(Grant())
        let grant = self.grants.count - 1
        self.codes[redemption.code]?.grant = grant
        if let violation = code.request.mismatch(with: redemption) {
            self.grants[grant].isRevoked = true
            throw .answer(.oauthError("invalid_grant", "Code does not match"), violation: violation)
        }
        return self.pair(of: grant, until: now + life, life)
    }

    /// Takes a refresh token for new tokens.
    ///
    /// Whoever shows one twice loses everything.
    mutating func renew(
        _ token: String,
        now: Double,
        life: Double
    ) throws(Refusal) -> TokenPair {
        guard let refresh = self.refresh[token], !self.grants[refresh.grant].isRevoked else {
            throw .answer(.oauthError("invalid_grant", "Refresh token is unknown or revoked"))
        }
        guard !refresh.isUsed else {
            self.grants[refresh.grant].isRevoked = true
            throw .answer(
                .oauthError("invalid_grant", "Refresh token has been used"),
                violation: "A refresh token was shown twice; everything from its log-in is revoked."
            )
        }
        self.refresh[token]?.isUsed = true
        return self.pair(of: refresh.grant, until: now + life, life)
    }

    private mutating func pair(of grant: Int, until expiry: Double, _ life: Double) -> TokenPair {
        let pair = TokenPair(
            accessToken: "y0_\(self.unguessable())",
            refreshToken: "1:\(self.unguessable())",
            life: life
        )
        self.access[pair.accessToken] = Access(grant: grant, expiry: expiry)
        self.refresh[pair.refreshToken] = Refresh(grant: grant)
        return pair
    }

    private mutating func unguessable() -> String {
        self.counter += 1
        let text = Array("token \(self.counter)".utf8)
        return HMAC<SHA256>.authenticationCode(for: text, using: self.key).hexadecimal
    }
}

/// What the authorization server gives for a code or a refresh token.
struct TokenPair: Sendable {
    var accessToken: String
    var refreshToken: String
    var life: Double

    /// RFC 6749 §5.1.
    var answer: ServerAnswer {
        var answer = ServerAnswer.json(
            200,
            .object([
                ("access_token", .string(self.accessToken)),
                ("expires_in", .number(Int64(self.life))),
                ("refresh_token", .string(self.refreshToken)),
                ("token_type", "bearer"),
            ])
        )
        answer.fields.append(HeaderField("Cache-Control", "no-store"))
        return answer
    }
}

extension ServerAnswer {
    /// RFC 6749 §5.2, always with 400, as this service does.
    static func oauthError(_ error: String, _ description: String) -> ServerAnswer {
        .json(
            400,
            .object([
                ("error_description", .string(description)), ("error", .string(error)),
            ])
        )
    }
}

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
