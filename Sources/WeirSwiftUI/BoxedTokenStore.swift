// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirClouds
import WeirSource

/// A store for the tokens of all accounts in one secret box.
///
/// It is for one process: it reads the box once, and does not see later writes of another process.
final class BoxedTokenStore: TokenStore {
    /// Holds the tokens while the application runs, and runs the updates of an account one after
    /// the other.
    private let memory: MemoryTokenStore
    /// The box, and its tokens.
    ///
    /// Locked while the box is written, so that the newest tokens are written last.
    private let stored: Mutex<(box: any SecretBox, tokens: [AccountID: AccountTokens])>

    /// Reads the box.
    ///
    /// - Throws: the error of the box; `SourceError` with `invalidRequest` if the box has other
    ///   contents, which stay.
    init(_ box: any SecretBox) throws {
        let tokens = try box.read().map { try AccountsFile.decode($0, from: box.place) } ?? [:]
        self.memory = MemoryTokenStore(tokens)
        self.stored = Mutex((box, tokens))
    }

    func accounts() -> [AccountID] { self.memory.accounts() }

    func tokens(of account: AccountID) -> AccountTokens? { self.memory.tokens(of: account) }

    func save(_ tokens: AccountTokens, of account: AccountID) throws {
        self.memory.save(tokens, of: account)
        try self.write()
    }

    func remove(_ account: AccountID) throws -> Bool {
        let wasKnown = self.memory.remove(account)
        try self.write()
        return wasKnown
    }

    func update(
        _ account: AccountID,
        _ body: (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens {
        let tokens = try await self.memory.update(account, body)
        try self.write()
        return tokens
    }

    /// Writes the tokens unless the box already has them; after a failure the next call tries
    /// again.
    private func write() throws {
        try self.stored.withLock { stored in
            let accounts = self.memory.accounts().compactMap { account in
                self.memory.tokens(of: account).map { (account, $0) }
            }
            let tokens = Dictionary(accounts) { $1 }
            guard tokens != stored.tokens else { return }
            try stored.box.write(AccountsFile.encode(tokens))
            stored.tokens = tokens
        }
    }
}

/// Storage for one secret, which outlives the application: on Apple platforms the keychain.
protocol SecretBox: Sendable {
    /// The name of the box in a message: "the keychain item music".
    var place: String { get }

    /// The last written secret; `nil` if the box is empty.
    func read() throws -> [UInt8]?

    /// Replaces the secret; durable before it returns.
    func write(_ secret: [UInt8]) throws
}
