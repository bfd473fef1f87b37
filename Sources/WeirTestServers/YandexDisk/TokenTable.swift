// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The codes and tokens that an authorization server has given out, and their state.
struct TokenTable: Sendable {
    private let fixed: Set<String>
    private let key: SymmetricKey
    private var counter: UInt64 = 0
    /// Whether each grant is revoked.
    ///
    /// A grant is a person's consent, with all tokens that come from its code.
    private var isRevoked: [Bool] = []
    private var codes: [String: (request: AuthorizationRequest, expiry: Double, grant: Int?)] = [:]
    private var access: [String: (grant: Int, expiry: Double)] = [:]
    private var refresh: [String: (grant: Int, isUsed: Bool)] = [:]

    init(fixed: Set<String>, key: SymmetricKey) {
        self.fixed = fixed
        self.key = key
    }

    /// Whether a token gives access to the disk.
    func isValid(_ token: String, now: Double) -> Bool {
        if self.fixed.contains(token) { return true }
        guard let access = self.access[token] else { return false }
        return !self.isRevoked[access.grant] && now < access.expiry
    }

    /// Whether a text is a token of any kind, even one that is no longer valid.
    func isToken(_ text: String) -> Bool {
        self.fixed.contains(text) || self.access[text] != nil || self.refresh[text] != nil
    }

    /// Gives out a code.
    mutating func issueCode(for request: AuthorizationRequest, until expiry: Double) -> String {
        let code = String(self.unguessable().prefix(16))
        self.codes[code] = (request, expiry, nil)
        return code
    }

    /// Exchanges a code for tokens.
    ///
    /// A second use of a code revokes the tokens from the first use.
    mutating func redeem(
        _ redemption: CodeRedemption,
        now: Double,
        life: Double
    ) throws(ServerError) -> ServerAnswer {
        guard let code = self.codes[redemption.code] else {
            throw .answer(.oauthError("invalid_grant", "Code is unknown"))
        }
        if let grant = code.grant {
            self.isRevoked[grant] = true
            throw .answer(
                .oauthError("invalid_grant", "Code has been used"),
                violation: "A code was used twice."
            )
        }
        guard now < code.expiry else {
            throw .answer(.oauthError("invalid_grant", "Code has expired"))
        }
        // A wrong attempt also uses up the code, so that a client cannot guess twice.
        self.isRevoked.append(false)
        let grant = self.isRevoked.count - 1
        self.codes[redemption.code]?.grant = grant
        if let violation = code.request.mismatch(with: redemption) {
            self.isRevoked[grant] = true
            throw .answer(.oauthError("invalid_grant", "Code does not match"), violation: violation)
        }
        return self.answer(of: grant, now: now, life: life)
    }

    /// Exchanges a refresh token for new tokens.
    ///
    /// A second use of a refresh token revokes all tokens from its log-in.
    mutating func renew(
        _ token: String,
        now: Double,
        life: Double
    ) throws(ServerError) -> ServerAnswer {
        guard let refresh = self.refresh[token], !self.isRevoked[refresh.grant] else {
            throw .answer(.oauthError("invalid_grant", "Refresh token is unknown or revoked"))
        }
        guard !refresh.isUsed else {
            self.isRevoked[refresh.grant] = true
            throw .answer(
                .oauthError("invalid_grant", "Refresh token has been used"),
                violation: "A refresh token was used twice; everything from its log-in is revoked."
            )
        }
        self.refresh[token]?.isUsed = true
        return self.answer(of: refresh.grant, now: now, life: life)
    }

    /// Issues an access token and a refresh token: RFC 6749 §5.1.
    private mutating func answer(of grant: Int, now: Double, life: Double) -> ServerAnswer {
        let access = "y0_\(self.unguessable())"
        let refresh = "1:\(self.unguessable())"
        self.access[access] = (grant, now + life)
        self.refresh[refresh] = (grant, false)
        var answer = ServerAnswer.json(
            200,
            .object([
                ("access_token", .string(access)), ("expires_in", .number(Int64(life))),
                ("refresh_token", .string(refresh)), ("token_type", "bearer"),
            ])
        )
        answer.fields.append(HeaderField("Cache-Control", "no-store"))
        return answer
    }

    private mutating func unguessable() -> String {
        self.counter += 1
        let text = Array("token \(self.counter)".utf8)
        return HMAC<SHA256>.authenticationCode(for: text, using: self.key).hexadecimal
    }
}
