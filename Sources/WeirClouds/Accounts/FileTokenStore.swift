// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Tokens in one file, `accounts.json`, that only its owner can read.
///
/// The file has the mode 0600; a folder that the store creates has 0700. The file is replaced as a
/// whole: after a crash it holds the old tokens or the new ones. Locks keep two processes from
/// losing each other's tokens and from using one refresh token twice.
public struct FileTokenStore: TokenStore {
    /// The file, `accounts.json`.
    public var file: URL { URL(filePath: self.path, directoryHint: .notDirectory) }

    let path: String

    private let directory: String
    private let clock: any Clock<Duration>

    /// How long an update waits for another update of the same account.
    static let patience = Duration.seconds(60)
    /// The interval between two attempts to take the lock.
    static let interval = Duration.milliseconds(50)

    /// Creates a store for a folder, which is created with the first tokens.
    public init(directory: URL) {
        self.init(directory: directory.path(percentEncoded: false))
    }

    package init(directory: String) {
        self.init(directory: directory, clock: .continuous)
    }

    init(directory: String, clock: any Clock<Duration>) {
        self.directory = directory
        self.path = "\(directory)/accounts.json"
        self.clock = clock
    }

    /// The accounts with tokens, in order; empty if there is no file.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if other users may access the
    ///   file, or if it is damaged or of a newer version.
    public func accounts() throws -> [AccountID] {
        try self.read().keys.sorted()
    }

    /// The tokens of an account, read from the file; `nil` if there are none.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if other users may access the
    ///   file, or if it is damaged or of a newer version.
    public func tokens(of account: AccountID) throws -> AccountTokens? {
        try self.read()[account]
    }

    /// Stores the tokens of an account in place of its earlier ones; durable before it returns.
    ///
    /// - Parameters:
    ///   - tokens: the tokens.
    ///   - account: their account.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the file cannot be used; it
    ///   then stays unchanged.
    public func save(_ tokens: AccountTokens, of account: AccountID) throws {
        try self.change { $0[account] = tokens }
    }

    /// Removes the tokens of an account; durable before it returns.
    ///
    /// - Parameter account: the account.
    /// - Returns: whether the account had tokens.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the file cannot be used; it
    ///   then stays unchanged.
    public func remove(_ account: AccountID) throws -> Bool {
        guard try self.tokens(of: account) != nil else { return false }
        return try self.change { $0.removeValue(forKey: account) != nil }
    }

    /// Replaces the tokens of an account while no other process does the same.
    ///
    /// Updates of other accounts do not wait for this one. Waiting blocks no thread.
    ///
    /// - Parameters:
    ///   - account: the account of the tokens.
    ///   - body: makes the new tokens from the stored ones; `nil` if there are none.
    /// - Returns: the tokens that are stored now.
    /// - Throws: the error of `body`; ``/WeirSource/SourceError`` with `timedOut`, `unauthorized`
    ///   or `invalidRequest`, as ``TokenStore`` says; `CancellationError`.
    public func update(
        _ account: AccountID,
        _ body: (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens {
        try PrivateFile.makeDirectory(self.directory)
        let lock = try await self.lock(account)
        defer { lock.release() }
        let before = try self.tokens(of: account)
        let new = try await body(before)
        if new == before, try self.tokens(of: account) == before { return new }
        return try self.change { accounts in
            let (tokens, isNew) = try AccountTokens.kept(
                for: account,
                from: before,
                to: new,
                now: accounts[account]
            )
            if isNew { accounts[account] = tokens }
            return tokens
        }
    }

    /// Waits for the lock of an account.
    private func lock(_ account: AccountID) async throws -> FileLock {
        let path = "\(self.directory)/\(AccountsFile.lockName(of: account))"
        var waited = Duration.zero
        while true {
            if let lock = try FileLock(path, waiting: false) { return lock }
            guard waited < Self.patience else {
                let sentence = { (account: String) in
                    "The token of \(account) could not be refreshed because another process has been refreshing it for"
                        + " \(Self.patience.components.seconds) s; end that process, or try again."
                }
                throw SourceError(.timedOut, sentence("an account of \(account.service)"))
                    .tellingOwner(sentence("\(account)"))
            }
            try await self.clock.sleep(for: Self.interval)
            waited += Self.interval
        }
    }

    private func read() throws -> [AccountID: AccountTokens] {
        guard let bytes = try PrivateFile.read(self.path) else { return [:] }
        return try AccountsFile.decode(bytes, from: self.path)
    }

    /// Reads, changes and writes the accounts while no other process writes them.
    ///
    /// The call may block the thread, but only as long as another process reads and writes the
    /// file.
    private func change<Result>(
        _ body: (inout [AccountID: AccountTokens]) throws -> Result
    ) throws -> Result {
        try PrivateFile.makeDirectory(self.directory)
        let lock = try FileLock("\(self.path).lock", waiting: true)
        defer { lock?.release() }
        let before = try self.read()
        var accounts = before
        let result = try body(&accounts)
        if accounts != before {
            try PrivateFile.replace(self.path, with: AccountsFile.encode(accounts))
        }
        return result
    }
}
