// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Checks the credentials of requests.
extension YandexDiskMachine {
    /// Checks the token of a request to the API or to WebDAV.
    mutating func checkToken(
        _ request: ServerRequest,
        at host: ServiceHost,
        now: Double
    ) throws(ServerError) {
        guard let field = request.value("authorization") else {
            throw .answer(host.unauthorized, violation: "The field Authorization is missing.")
        }
        if host == .webdav, let credentials = request.basicCredentials {
            guard credentials.name == self.account.login,
                self.account.appPasswords.contains(credentials.password)
            else { throw .answer(host.unauthorized) }
        } else {
            guard field.hasPrefix("OAuth "), !field.dropFirst(6).contains(" ") else {
                let scheme = field.prefix { $0 != " " }
                throw .violation("Authorization has the scheme \(scheme), not OAuth.")
            }
            guard self.tokens.isValid(String(field.dropFirst(6)), now: now) else {
                throw .answer(host.unauthorized)
            }
        }
        if self.behaviour.take(.tokenRefused, at: host) != nil { throw .answer(host.unauthorized) }
    }

    /// Checks that the URL contains no token.
    func checkSecrets(of request: ServerRequest) throws(ServerError) {
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
    /// The answer to a request without a valid credential.
    fileprivate var unauthorized: ServerAnswer {
        guard self == .webdav else {
            return .apiError(401, "UnauthorizedError", "Unauthorized")
        }
        var answer = ServerAnswer.page(401)
        answer.fields.append(HeaderField("WWW-Authenticate", "Basic realm=\"Yandex.Disk\""))
        return answer
    }
}

extension ServerAnswer {
    /// The error of RFC 6749 §5.2, always with 400, as this service sends it.
    static func oauthError(_ error: String, _ description: String) -> ServerAnswer {
        .json(
            400,
            .object([
                ("error_description", .string(description)), ("error", .string(error)),
            ])
        )
    }
}

/// The values that an application exchanges for tokens: RFC 6749 §4.1.3 with RFC 7636 §4.5.
struct CodeRedemption: Sendable {
    let code: String
    let verifier: String
    let redirectURI: String?

    init(_ arguments: Arguments) throws(ServerError) {
        self.code = try arguments.required("code")
        self.verifier = try arguments.required("code_verifier")
        // RFC 7636 §4.1.
        guard (43...128).contains(self.verifier.utf8.count),
            self.verifier.utf8.allSatisfy(\.isUnreserved)
        else { throw .violation("The code_verifier is not 43 to 128 unreserved characters.") }
        self.redirectURI = arguments["redirect_uri"]
    }
}
