// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Tokens that are kept as long as the object lives, for tests and for applications with a place of
/// their own.
public final class MemoryTokenStore: TokenStore {
    private struct State: Sendable {
        var tokens: [AccountID: AccountTokens] = [:]
        var updating: Set<AccountID> = []
        var waiting: [AccountID: [Waiter]] = [:]
        var lastWaiter: UInt64 = 0
    }

    private struct Waiter: Sendable {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let state: Mutex<State>

    /// Makes a store that holds these tokens.
    public init(_ tokens: [AccountID: AccountTokens] = [:]) {
        self.state = Mutex(State(tokens: tokens))
    }

    /// The accounts that there are tokens of, in order.
    public func accounts() -> [AccountID] {
        self.state.withLock { $0.tokens.keys.sorted() }
    }

    /// The tokens of an account; `nil` if there are none.
    public func tokens(of account: AccountID) -> AccountTokens? {
        self.state.withLock { $0.tokens[account] }
    }

    /// Keeps the tokens of an account in place of those that it had.
    public func save(_ tokens: AccountTokens, of account: AccountID) {
        self.state.withLock { $0.tokens[account] = tokens }
    }

    /// Forgets the tokens of an account, and tells whether there were any.
    public func remove(_ account: AccountID) -> Bool {
        self.state.withLock { $0.tokens.removeValue(forKey: account) != nil }
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
        return try self.state.withLock { state in
            let now = state.tokens[account]
            let (tokens, isNew) = try AccountTokens.kept(
                for: account,
                from: before,
                to: new,
                now: now
            )
            if isNew { state.tokens[account] = tokens }
            return tokens
        }
    }

    private func begin(_ account: AccountID) async throws {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOurs, isCancelled) = self.state.withLock { state in
                    // The handler below has run already or will find the waiter: both take the lock.
                    if Task.isCancelled { return (false, true) }
                    if state.updating.insert(account).inserted { return (true, false) }
                    state.waiting[account, default: []].append(
                        Waiter(id: id, continuation: continuation)
                    )
                    return (false, false)
                }
                if isOurs { continuation.resume() }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let waiter = self.state.withLock { state -> Waiter? in
                guard let index = state.waiting[account]?.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiting[account]?.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func end(_ account: AccountID) {
        let next = self.state.withLock { state -> Waiter? in
            guard var waiting = state.waiting[account], !waiting.isEmpty else {
                state.updating.remove(account)
                return nil
            }
            let next = waiting.removeFirst()
            state.waiting[account] = waiting
            return next
        }
        next?.continuation.resume()
    }
}
