// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A store of the tokens of accounts.
///
/// Every call reads the store, so it sees the writes of other processes.
public protocol TokenStore: Sendable {
    /// The accounts with tokens, in order.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the tokens cannot be read.
    func accounts() throws -> [AccountID]

    /// The tokens of an account; `nil` if there are none.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the tokens cannot be read.
    func tokens(of account: AccountID) throws -> AccountTokens?

    /// Stores the tokens of an account in place of its earlier ones; durable before it returns.
    ///
    /// - Parameters:
    ///   - tokens: the tokens.
    ///   - account: their account.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if they cannot be stored.
    func save(_ tokens: AccountTokens, of account: AccountID) throws

    /// Removes the tokens of an account; durable before it returns.
    ///
    /// - Parameter account: the account.
    /// - Returns: whether the account had tokens.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the store cannot be written.
    func remove(_ account: AccountID) throws -> Bool

    /// Replaces the tokens of an account, one call at a time over all processes.
    ///
    /// The method serves refresh tokens that are valid for one use. `body` gets the tokens stored
    /// at the moment, which may be newer than the caller's, and decides whether to ask the service.
    /// Tokens that another caller saved while `body` ran, for example by a new log-in, are newer
    /// than the result of `body`, and stay.
    ///
    /// - Parameters:
    ///   - account: the account of the tokens.
    ///   - body: makes the new tokens from the stored ones; `nil` if there are none. If it returns
    ///     them unchanged, the store writes nothing.
    /// - Returns: the tokens that are stored now.
    /// - Throws: the error of `body`, with no change to the store; ``/WeirSource/SourceError`` with
    ///   `timedOut` if another call replaces these tokens for longer than a minute, with
    ///   `unauthorized` if the account was removed meanwhile, with `invalidRequest` if the store
    ///   cannot be used; `CancellationError`.
    func update(
        _ account: AccountID,
        _ body: (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens
}

extension TokenStore {
    /// The account with the given name; without a name, the only account of the service.
    ///
    /// - Parameters:
    ///   - name: the user's name for the account; `nil` if the user gave none.
    ///   - service: the service of the account.
    /// - Returns: an account with tokens.
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
                "There are several accounts of \(service) (\(known.map(\.name).joined(separator: ", "))); give the name"
                    + " of one."
            )
        }
        return first
    }
}
