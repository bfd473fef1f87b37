// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Where the tokens of accounts are kept.
///
/// Every call looks anew: what another process has written is seen by the next call.
public protocol TokenStore: Sendable {
    /// The accounts that there are tokens of, in order.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the tokens cannot be read.
    func accounts() throws -> [AccountID]

    /// The tokens of an account; `nil` if there are none.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the tokens cannot be read.
    func tokens(of account: AccountID) throws -> AccountTokens?

    /// Keeps the tokens of an account in place of those that it had; durable before it returns.
    ///
    /// - Parameters:
    ///   - tokens: what to keep.
    ///   - account: whose they are.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if they cannot be kept.
    func save(_ tokens: AccountTokens, of account: AccountID) throws

    /// Forgets the tokens of an account; durable before it returns.
    ///
    /// - Parameter account: whose they are.
    /// - Returns: whether there were any.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the store cannot be written.
    func remove(_ account: AccountID) throws -> Bool

    /// Replaces the tokens of an account, one call at a time over all processes.
    ///
    /// Made for refresh tokens that are good for one use: `body` is given what is kept at the
    /// moment, which may be newer than what the caller has seen, and decides whether to ask the
    /// service. What was saved or removed by others while `body` ran, such as a new log-in, is
    /// newer than what `body` made of the old tokens, and stands.
    ///
    /// - Parameters:
    ///   - account: whose tokens they are.
    ///   - body: makes the new tokens of those that are kept; `nil` if there are none. To return
    ///     them as they were writes nothing.
    /// - Returns: the tokens that are kept now.
    /// - Throws: what `body` throws, having changed nothing; ``/WeirSource/SourceError`` with
    ///   `timedOut` if another call replaces these tokens for longer than a minute, with
    ///   `unauthorized` if the account was removed meanwhile, with `invalidRequest` if the store
    ///   cannot be used; `CancellationError`.
    func update(
        _ account: AccountID,
        _ body: (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens
}

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
