// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Weir
import WeirClouds

/// The tokens of all accounts in one secret box.
///
/// For one process: what another one writes into the box is not seen.
public final class BoxedTokenStore: TokenStore {
    /// Has the tokens while the app runs, and lets one refresh of an account follow another.
    private let memory: MemoryTokenStore
    /// Held while the box is written, so that what stands in it last is what the memory held last.
    private let box: Mutex<any SecretBox>

    /// Takes over what a box holds.
    ///
    /// - Parameter box: where tokens are kept.
    /// - Throws: what the box throws; `DecodingError` for what this type did not write.
    public init(_ box: any SecretBox) throws {
        let accounts = try box.read().map { data in
            try JSONDecoder().decode([StoredAccount].self, from: data)
        }
        let tokens = (accounts ?? []).map { ($0.account, $0.tokens) }
        self.memory = MemoryTokenStore(Dictionary(tokens) { $1 })
        self.box = Mutex(box)
    }

    /// The accounts that there are tokens of.
    public func accounts() -> [AccountID] { self.memory.accounts() }

    /// The tokens of an account; `nil` if there are none.
    public func tokens(of account: AccountID) -> AccountTokens? { self.memory.tokens(of: account) }

    /// Keeps the tokens of an account.
    public func save(_ tokens: AccountTokens, of account: AccountID) throws {
        self.memory.save(tokens, of: account)
        try self.write()
    }

    /// Forgets the tokens of an account, and tells whether there were any.
    public func remove(_ account: AccountID) throws -> Bool {
        let wasKnown = self.memory.remove(account)
        try self.write()
        return wasKnown
    }

    /// Replaces the tokens of an account, one caller after the other.
    ///
    /// Weir's own closures stay where they are called from, hence `nonisolated(nonsending)`.
    public func update(
        _ account: AccountID,
        _ body: nonisolated(nonsending) (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens {
        let tokens = try await self.memory.update(account, body)
        try self.write()
        return tokens
    }

    private func write() throws {
        try self.box.withLock { box in
            let accounts = self.memory.accounts().compactMap { account in
                self.memory.tokens(of: account).map { StoredAccount(account, $0) }
            }
            try box.write(JSONEncoder().encode(accounts))
        }
    }
}
