// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Keeps tokens as long as the object lives, for tests and for applications with a storage of their own.
public final class MemoryTokenStore: TokenStore {
    private let tokens: Mutex<[AccountID: AccountTokens]>
    /// The accounts with an update in progress.
    private let updating = Mutex<Set<AccountID>>([])
    /// Signals the end of each update.
    private let updated = Signal()

    /// Creates a store with the given tokens.
    public init(_ tokens: [AccountID: AccountTokens] = [:]) {
        self.tokens = Mutex(tokens)
    }

    /// The accounts with tokens, in order.
    public func accounts() -> [AccountID] {
        self.tokens.withLock { $0.keys.sorted() }
    }

    /// The tokens of an account; `nil` if there are none.
    public func tokens(of account: AccountID) -> AccountTokens? {
        self.tokens.withLock { $0[account] }
    }

    /// Stores the tokens of an account in place of its earlier ones.
    public func save(_ tokens: AccountTokens, of account: AccountID) {
        self.tokens.withLock { $0[account] = tokens }
    }

    /// Removes the tokens of an account, and returns whether it had any.
    public func remove(_ account: AccountID) -> Bool {
        self.tokens.withLock { $0.removeValue(forKey: account) != nil }
    }

    /// Replaces the tokens of an account, one caller after the other; the wait has no time limit.
    ///
    /// - Parameters:
    ///   - account: the account of the tokens.
    ///   - body: makes the new tokens from the stored ones; `nil` if there are none.
    /// - Returns: the tokens that are stored now.
    /// - Throws: the error of `body`; ``/WeirSource/SourceError`` with `unauthorized` if the account was removed
    ///   meanwhile; `CancellationError`.
    public func update(
        _ account: AccountID,
        _ body: (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens {
        try await self.begin(account)
        defer { self.end(account) }
        let before = self.tokens(of: account)
        let new = try await body(before)
        return try self.tokens.withLock { kept in
            let (tokens, isNew) = try AccountTokens.kept(
                for: account,
                from: before,
                to: new,
                now: kept[account]
            )
            if isNew { kept[account] = tokens }
            return tokens
        }
    }

    private func begin(_ account: AccountID) async throws {
        while true {
            let seen = self.updated.count
            try Task.checkCancellation()
            if self.updating.withLock({ $0.insert(account).inserted }) { return }
            try await self.updated.wait(after: seen)
        }
    }

    private func end(_ account: AccountID) {
        _ = self.updating.withLock { $0.remove(account) }
        self.updated.raise()
    }
}
