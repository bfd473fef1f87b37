// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
