// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHTTP
public import WeirSource

/// The credential of an account that was logged in by OAuth: kept in a store, refreshed before it ends and when it is
/// refused, by one request for any number of askers, and kept durably before it is used.
///
/// Processes that share the store share the refreshed tokens.
public final class OAuthCredential: CredentialProvider {
    /// What is known of the tokens, and when the next ones are got.
    struct State {
        var known: AccountTokens?
        /// A refresh token that the service refused: it is not sent again.
        var dead: String?
        /// What ``aheadFrom`` was computed of.
        var end: Int64?
        /// From when on the next tokens are got ahead of need.
        var aheadFrom: Int64?
        /// Not before that, since it has just been tried.
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

        /// Whether to get the next tokens now; says so every five seconds at most.
        mutating func isAheadDue(at now: Int64) -> Bool {
            guard let aheadFrom, now >= aheadFrom, now >= self.notBefore ?? now else {
                return false
            }
            self.notBefore = now.addingClamped(5)
            return true
        }

        /// The last try had not ended: the next one is due when it has.
        mutating func wasNotTried(at now: Int64) { self.notBefore = now }
    }

    /// The account.
    public let account: AccountID

    /// That of the account, whose tokens change.
    public var credentialScope: CredentialScope { .account(self.account.description) }

    private let store: any TokenStore
    private let client: OAuthClient
    private let now: @Sendable () -> Int64
    private let observer: SourceObserver?
    private let shared = Shared<AccountTokens>()
    private let state = Mutex(State())

    /// The credential of an account.
    ///
    /// The library whose client the requests go through tells of each refresh.
    ///
    /// - Parameters:
    ///   - account: which one.
    ///   - store: has its tokens.
    ///   - client: refreshes them.
    public convenience init(account: AccountID, store: any TokenStore, client: OAuthClient) {
        self.init(account: account, store: store, client: client, now: WallClock.seconds)
    }

    /// The credential of an account, with a clock.
    ///
    /// - Parameters:
    ///   - account: which one.
    ///   - store: has its tokens.
    ///   - client: refreshes them.
    ///   - now: the time in seconds since 1970.
    ///   - observer: is told of each refresh; `nil`: what the client's requests are told to.
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

    /// The access token; a fresh one if the one that is kept has ended.
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

    /// Refreshes the token, unless that has been done meanwhile.
    public func refused(_ credential: Credential) async throws -> Bool {
        let tokens = try self.known()
        if tokens.accessToken != credential.token { return true }
        guard tokens.refreshToken != nil else { throw self.loggedOut(nil) }
        _ = try await self.refreshed(instead: tokens)
        return true
    }

    /// Removes the account's tokens from the store; later requests fail with `unauthorized`.
    ///
    /// - Returns: whether there were any.
    /// - Throws: `SourceError` with `invalidRequest` if the store cannot be written.
    @discardableResult
    public func logOut() throws -> Bool {
        defer { self.state.withLock { $0 = State() } }
        return try self.store.remove(self.account)
    }

    /// The tokens that were seen last, or those that are kept.
    private func known() throws -> AccountTokens {
        if let known = self.state.withLock({ $0.known }) { return known }
        guard let tokens = try self.store.tokens(of: self.account) else {
            throw SourceError(
                .unauthorized,
                "There is no such account of \(self.account.service) any more; log in with"
                    + " weir login \(self.account.service)."
            )
            .tellingOwner(
                "There is no account \(self.account) any more; log in with weir login \(self.account.service)"
                    + " --account \(self.account.name)."
            )
        }
        let now = self.now()
        self.state.withLock { $0.know(tokens, at: now) }
        return tokens
    }

    private func refreshed(instead old: AccountTokens) async throws -> AccountTokens {
        try await self.shared.value(
            // What came of the last refresh may be older than what the store has got since.
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
            // The next asker looks at the store again: there may have been a log-in.
            self.state.withLock { $0.known = nil }
            if error.cause is OAuthRefusal { throw self.loggedOut(error) }
            throw error
        }
    }

    /// The tokens that are kept in place of others, asked for if no other call has.
    private func updated(from old: AccountTokens) async throws -> AccountTokens {
        var refusal: SourceError?
        let new: AccountTokens
        do {
            new = try await self.store.update(self.account) { kept in
                // Another process, or a new log-in, was first.
                if let kept, kept.accessToken != old.accessToken { return kept }
                guard let kept, let refresh = kept.refreshToken,
                    refresh != self.state.withLock({ $0.dead })
                else { throw self.loggedOut(nil) }
                do {
                    return try await self.client.refreshed(kept)
                } catch let error as SourceError where error.cause is OAuthRefusal {
                    self.state.withLock { $0.dead = refresh }
                    refusal = error
                    // Written down, so that a list of the accounts says so.
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
