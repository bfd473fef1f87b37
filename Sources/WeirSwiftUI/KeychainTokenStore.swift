// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation
import Security
public import WeirClouds
import WeirSource

/// The tokens of an application's accounts in the keychain of this device.
///
///     let store = try KeychainTokenStore(service: "org.example.music")
///     let credential = OAuthCredential(account: account, store: store, client: client)
///
/// All tokens are in one item. It can be read once the device was unlocked after its start, so that music goes on while
/// the device is locked. No backup restores it on another device. The store is for one process: it reads the item when
/// the store is made, and does not see later writes of another process.
public struct KeychainTokenStore: TokenStore {
    private let store: BoxedTokenStore

    /// Reads the item, if it exists; the store makes it with the first tokens.
    ///
    /// - Parameter service: the name of the item: the bundle's identifier, or a name below it.
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the keychain cannot be read, or if the item
    ///   has other contents, which stay.
    public init(service: String) throws {
        self.store = try BoxedTokenStore(KeychainBox(service: service))
    }

    /// The accounts with tokens, in order.
    public func accounts() -> [AccountID] { self.store.accounts() }

    /// The tokens of an account; `nil` if the store has none.
    public func tokens(of account: AccountID) -> AccountTokens? { self.store.tokens(of: account) }

    /// Stores the tokens of an account in place of the earlier ones; durable before it returns.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the keychain cannot be written; this process
    ///   uses the new tokens nevertheless.
    public func save(_ tokens: AccountTokens, of account: AccountID) throws {
        try self.store.save(tokens, of: account)
    }

    /// Removes the tokens of an account, and returns whether it had any; durable before it returns.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` if the keychain cannot be written.
    public func remove(_ account: AccountID) throws -> Bool { try self.store.remove(account) }

    /// Replaces the tokens of an account, one caller after the other, without a time limit.
    ///
    /// - Throws: the error of `body`; ``/WeirSource/SourceError`` with `unauthorized` if the account was removed
    ///   meanwhile, with `invalidRequest` if the keychain cannot be written; `CancellationError`.
    public func update(
        _ account: AccountID,
        _ body: (AccountTokens?) async throws -> AccountTokens
    ) async throws -> AccountTokens {
        try await self.store.update(account, body)
    }
}

/// One item of the keychain.
private struct KeychainBox: SecretBox {
    /// The name of the item in the keychain.
    let service: String

    var place: String { "the keychain item \(self.service)" }

    func read() throws -> [UInt8]? {
        var query = self.query
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        switch status {
        case errSecSuccess: return (found as? Data).map { Array($0) }
        case errSecItemNotFound: return nil
        default: throw Self.error("read", status)
        }
    }

    func write(_ secret: [UInt8]) throws {
        let secret = Data(secret)
        let change = [kSecValueData: secret] as CFDictionary
        var status = SecItemUpdate(self.query as CFDictionary, change)
        if status == errSecItemNotFound {
            var item = self.query
            item[kSecValueData] = secret
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.error("write to", status) }
    }

    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: self.service,
            kSecAttrAccount: "accounts",
        ]
    }

    private static func error(_ attempt: String, _ status: OSStatus) -> SourceError {
        let reason = SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)"
        return SourceError(
            .invalidRequest,
            "Could not \(attempt) the keychain (\(reason)); log in again."
        )
    }
}
#endif
