// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The authorization server, which asks no person: it grants every correct request at once.
extension YandexDiskMachine {
    mutating func answerOAuth(
        _ request: ServerRequest,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
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
    ) throws(ServerError) -> ServerAnswer {
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
    ) throws(ServerError) -> ServerAnswer {
        let grant = try TokenGrant(request, self.account)
        try self.refuseByFault(at: .oauth)
        let life = self.behaviour.tokenLife
        switch grant {
        case .code(let redemption):
            return try self.tokens.redeem(redemption, now: now, life: life)
        case .refresh(let token):
            if self.behaviour.take(.refreshRefused, at: .oauth) != nil {
                throw .answer(.oauthError("invalid_grant", "Refresh token has expired"))
            }
            return try self.tokens.renew(token, now: now, life: life)
        }
    }
}
