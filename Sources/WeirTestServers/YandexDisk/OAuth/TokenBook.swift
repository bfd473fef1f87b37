// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// What an authorization server has given out, and what has become of it.
struct TokenBook: Sendable {
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
