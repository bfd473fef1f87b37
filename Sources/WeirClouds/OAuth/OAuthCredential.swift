// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHTTP
public import WeirSource

/// The credential of an account with an OAuth log-in.
///
/// A store keeps its tokens. The credential is refreshed before it expires and after a refusal, by
/// one request for any number of callers. The store makes the new tokens durable before they are
/// used.
///
/// Processes that share the store share the refreshed tokens.
public final class OAuthCredential: CredentialProvider {
    /// The known tokens, and the time for the next refresh.
    struct State {
        var known: AccountTokens?
        /// A refresh token that the service refused; it is not sent again.
        var dead: String?
        /// The time of expiry from which ``aheadFrom`` was computed.
        var end: Int64?
        /// The time from which the tokens are refreshed ahead of need.
        var aheadFrom: Int64?
        /// The earliest time for the next attempt: five seconds after the last one.
        var notBefore: Int64?

        mutating func know(_ tokens: AccountTokens, at now: Int64) {
            self.known = tokens
            guard tokens.expirySeconds != self.end else { return }
            self.end = tokens.expirySeconds
            self.aheadFrom = tokens.expirySeconds.map { expiry in
                let left = expiry.subtractingClamped(now)
                return expiry.subtractingClamped(min(60, max(1, left / 5)))
            }
        }

        /// Whether to refresh the tokens now; `true` at most every five seconds.
        mutating func isAheadDue(at now: Int64) -> Bool {
            guard let aheadFrom, now >= aheadFrom, now >= self.notBefore ?? now else {
                return false
            }
            self.notBefore = now.addingClamped(5)
            return true
        }

        /// Allows the next attempt at once: this one was not made, because an earlier refresh was
        /// still running.
        mutating func wasNotTried(at now: Int64) { self.notBefore = now }
    }

    /// The account.
    public let account: AccountID

    /// The scope of the account, since its tokens change.
    public var credentialScope: CredentialScope { .account(self.account.description) }

    private let store: any TokenStore
    private let client: OAuthClient
    private let now: @Sendable () -> Int64
    private let observer: SourceObserver?
    private let shared = Shared<AccountTokens>()
    private let state = Mutex(State())

    /// Creates the credential of an account.
    ///
    /// The library of the client reports each refresh.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - store: has its tokens.
    ///   - client: refreshes them.
    public convenience init(account: AccountID, store: any TokenStore, client: OAuthClient) {
        self.init(account: account, store: store, client: client, now: WallClock.seconds)
    }

    /// Creates the credential of an account, with a clock.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - store: has its tokens.
    ///   - client: refreshes them.
    ///   - now: the time in seconds since 1970.
    ///   - observer: receives each refresh; `nil` for the observer of the client's requests.
    package init(
        account: AccountID,
        store: any TokenStore,
        client: OAuthClient,
        now: @escaping @Sendable () -> Int64,
        observer: SourceObserver? = nil
    ) {
        self.account = account
        self.store = store
        self.client = client
        self.now = now
        self.observer = observer ?? client.client.observer
    }

    /// The access token; a new one if the stored one has expired.
    public func credential() async throws -> Credential {
        let tokens = try self.known()
        guard let expiry = tokens.expirySeconds, tokens.refreshToken != nil else {
            return Credential(token: tokens.accessToken)
        }
        let now = self.now()
        if now + 1 >= expiry {
            return Credential(token: try await self.refreshed(instead: tokens).accessToken)
        }
        if self.state.withLock({ $0.isAheadDue(at: now) }) {
            let isTried = await self.shared.renew { try await self.refresh(instead: tokens) }
            if !isTried { self.state.withLock { $0.wasNotTried(at: now) } }
        }
        return Credential(token: tokens.accessToken)
    }

    /// Refreshes the token, unless that has happened meanwhile.
    public func refused(_ credential: Credential) async throws -> Bool {
        let tokens = try self.known()
        if tokens.accessToken != credential.token { return true }
        guard tokens.refreshToken != nil else { throw self.loggedOut(nil) }
        _ = try await self.refreshed(instead: tokens)
        return true
    }

    /// Removes the account's tokens from the store; later requests fail with `unauthorized`.
    ///
    /// - Returns: whether the account had tokens.
    /// - Throws: `SourceError` with `invalidRequest` if the store cannot be written.
    @discardableResult
    public func logOut() throws -> Bool {
        defer { self.state.withLock { $0 = State() } }
        return try self.store.remove(self.account)
    }

    /// The tokens that were last seen; without any, the tokens in the store.
    private func known() throws -> AccountTokens {
        if let known = self.state.withLock({ $0.known }) { return known }
        guard let tokens = try self.store.tokens(of: self.account) else {
            throw SourceError(
                .unauthorized,
                "The account of \(self.account.service) no longer exists; log in with weir login"
                    + " \(self.account.service)."
            )
            .tellingOwner(
                "The account \(self.account) no longer exists; log in with weir login \(self.account.service) --account"
                    + " \(self.account.name)."
            )
        }
        let now = self.now()
        self.state.withLock { $0.know(tokens, at: now) }
        return tokens
    }

    private func refreshed(instead old: AccountTokens) async throws -> AccountTokens {
        try await self.shared.value(
            // The result of the last refresh may be older than the tokens in the store.
            isGood: { last in
                last.accessToken != old.accessToken
                    && self.state.withLock { $0.known?.accessToken == last.accessToken }
            },
            make: { try await self.refresh(instead: old) }
        )
    }

    private func refresh(instead old: AccountTokens) async throws -> AccountTokens {
        do {
            let new = try await self.updated(from: old)
            let now = self.now()
            self.state.withLock { $0.know(new, at: now) }
            self.observer?(.credentialRefreshed(account: self.account.description))
            return new
        } catch let error as SourceError {
            // The next caller reads the store again: there may have been a log-in.
            self.state.withLock { $0.known = nil }
            if error.cause is OAuthError { throw self.loggedOut(error) }
            throw error
        }
    }

    /// The tokens that replace `old` in the store; asks the service unless another caller has
    /// replaced them already.
    private func updated(from old: AccountTokens) async throws -> AccountTokens {
        var refusal: SourceError?
        let new: AccountTokens
        do {
            new = try await self.store.update(self.account) { kept in
                // Another process, or a new log-in, has already replaced the tokens.
                if let kept, kept.accessToken != old.accessToken { return kept }
                guard let kept, let refresh = kept.refreshToken,
                    refresh != self.state.withLock({ $0.dead })
                else { throw self.loggedOut(nil) }
                do {
                    return try await self.client.refreshed(kept)
                } catch let error as SourceError where error.cause is OAuthError {
                    self.state.withLock { $0.dead = refresh }
                    refusal = error
                    // Stored, so that a list of the accounts shows it.
                    var marked = kept
                    marked.isRefreshRefused = true
                    return marked
                }
            }
        } catch {
            throw refusal ?? error
        }
        // A log-in meanwhile is newer than the refusal.
        if let refusal, new.accessToken == old.accessToken { throw refusal }
        return new
    }

    private func loggedOut(_ cause: (any Error)?) -> SourceError {
        SourceError(
            .unauthorized,
            "The account of \(self.account.service) is logged out at its service; log in again with"
                + " weir login \(self.account.service).",
            cause: cause,
            status: 401
        )
        .tellingOwner(
            "The account \(self.account) is logged out at its service; log in again with"
                + " weir login \(self.account.service) --account \(self.account.name)."
        )
    }
}
