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
/// The file has the mode 0600, and its folder, if it had to be made, 0700. It is replaced as a whole:
/// after a crash there are the old tokens or the new ones. Locks keep two processes from losing each
/// other's tokens and from using one refresh token twice.
public struct FileTokenStore: TokenStore {
    /// The file, `accounts.json`.
    public var file: URL { URL(filePath: self.path, directoryHint: .notDirectory) }

    let path: String

    private let directory: String
    private let clock: any Clock<Duration>

    /// How long an update waits for another one of the same account.
    static let patience = Duration.seconds(60)
    /// How long it waits between two looks at the lock.
    static let interval = Duration.milliseconds(50)

    /// Keeps tokens in a folder, which is made with the first of them.
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

    /// The accounts that there are tokens of, in order; none if there is no file.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if others may read the file, or if
    ///   it is damaged or of a newer version.
    public func accounts() throws -> [AccountID] {
        try self.read().keys.sorted()
    }

    /// The tokens of an account, read anew; `nil` if there are none.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if others may read the file, or if
    ///   it is damaged or of a newer version.
    public func tokens(of account: AccountID) throws -> AccountTokens? {
        try self.read()[account]
    }

    /// Keeps the tokens of an account in place of those that it had; durable before it returns.
    ///
    /// - Parameters:
    ///   - tokens: what to keep.
    ///   - account: whose they are.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the file cannot be used; it is
    ///   left as it was then.
    public func save(_ tokens: AccountTokens, of account: AccountID) throws {
        try self.change { $0[account] = tokens }
    }

    /// Forgets the tokens of an account; durable before it returns.
    ///
    /// - Parameter account: whose they are.
    /// - Returns: whether there were any.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the file cannot be used; it is
    ///   left as it was then.
    public func remove(_ account: AccountID) throws -> Bool {
        guard try self.tokens(of: account) != nil else { return false }
        return try self.change { $0.removeValue(forKey: account) != nil }
    }

    /// Replaces the tokens of an account while no other process does the same.
    ///
    /// Other accounts are free meanwhile. No thread is held while it waits.
    ///
    /// - Parameters:
    ///   - account: whose tokens they are.
    ///   - body: makes the new tokens of those that are kept; `nil` if there are none.
    /// - Returns: the tokens that are kept now.
    /// - Throws: what `body` throws; ``/WeirSource/SourceError`` with `timedOut`, `unauthorized` or
    ///   `invalidRequest`, as ``TokenStore`` says; `CancellationError`.
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
                    "The token of \(account) could not be refreshed because another process has been"
                        + " at it for \(Self.patience.components.seconds) s; end that process, or"
                        + " try again."
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

    /// Reads, changes and writes while no other process writes; that takes no longer than the disk.
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
