// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Tokens that are kept as long as the object lives: for tests, and for applications with a storage of their own.
public final class MemoryTokenStore: TokenStore {
    private let tokens: Mutex<[AccountID: AccountTokens]>
    /// The accounts whose tokens are being replaced.
    private let updating = Mutex<Set<AccountID>>([])
    /// Raised at the end of each update.
    private let updated = Signal()

    /// Makes a store that holds these tokens.
    public init(_ tokens: [AccountID: AccountTokens] = [:]) {
        self.tokens = Mutex(tokens)
    }

    /// The accounts that there are tokens of, in order.
    public func accounts() -> [AccountID] {
        self.tokens.withLock { $0.keys.sorted() }
    }

    /// The tokens of an account; `nil` if there are none.
    public func tokens(of account: AccountID) -> AccountTokens? {
        self.tokens.withLock { $0[account] }
    }

    /// Keeps the tokens of an account in place of those that it had.
    public func save(_ tokens: AccountTokens, of account: AccountID) {
        self.tokens.withLock { $0[account] = tokens }
    }

    /// Forgets the tokens of an account, and tells whether there were any.
    public func remove(_ account: AccountID) -> Bool {
        self.tokens.withLock { $0.removeValue(forKey: account) != nil }
    }

    /// Replaces the tokens of an account, one caller after the other; without a bound on the time.
    ///
    /// - Parameters:
    ///   - account: whose tokens they are.
    ///   - body: makes the new tokens of those that are kept; `nil` if there are none.
    /// - Returns: the tokens that are kept now.
    /// - Throws: what `body` throws; ``/WeirSource/SourceError`` with `unauthorized` if the account
    ///   was removed meanwhile; `CancellationError`.
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
