// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

extension TokenStore {
    /// The account that is meant by a name, or by none where the service has only one account.
    ///
    /// - Parameters:
    ///   - name: what the user calls the account; `nil` if the user named none.
    ///   - service: the service that it is at.
    /// - Returns: an account that there are tokens of.
    /// - Throws: ``/WeirSource/SourceError`` with `unauthorized` if there is no such account, or if
    ///   there are several to choose from; `invalidRequest` if the tokens cannot be read.
    public func account(named name: String?, of service: String) throws -> AccountID {
        let known = try self.accounts().filter { $0.service == service }
        if let name {
            let account = AccountID(service: service, name: name)
            guard known.contains(account) else {
                throw SourceError(
                    .unauthorized,
                    "There is no account '\(name)' of \(service); log in with"
                        + " weir login \(service) --account \(name)."
                )
            }
            return account
        }
        guard let first = known.first else {
            throw SourceError(
                .unauthorized,
                "There is no account of \(service); log in with weir login \(service)."
            )
        }
        guard known.count == 1 else {
            throw SourceError(
                .unauthorized,
                "There are several accounts of \(service)"
                    + " (\(known.map(\.name).joined(separator: ", "))); name the one that is meant."
            )
        }
        return first
    }
}
