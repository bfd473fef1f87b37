// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Who may come in.
extension YandexDiskMachine {
    /// Looks at the token of a request to the API or to WebDAV.
    mutating func checkToken(
        _ request: ServerRequest,
        at door: Door,
        now: Double
    ) throws(Refusal) {
        guard let field = request.value("authorization") else {
            throw .answer(door.unauthorized, violation: "The field Authorization is missing.")
        }
        if door == .webdav, let credentials = BasicCredentials(field) {
            guard credentials.name == self.account.login,
                self.account.appPasswords.contains(credentials.password)
            else { throw .answer(door.unauthorized) }
        } else {
            guard field.hasPrefix("OAuth "), !field.dropFirst(6).contains(" ") else {
                let scheme = field.prefix { $0 != " " }
                throw .violation("Authorization has the scheme \(scheme), not OAuth.")
            }
            let standing = self.tokens.standing(of: String(field.dropFirst(6)), now: now)
            guard standing == .valid else { throw .answer(door.unauthorized) }
        }
        if self.behaviour.take(.tokenRefused, at: door) != nil { throw .answer(door.unauthorized) }
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

extension Door {
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
