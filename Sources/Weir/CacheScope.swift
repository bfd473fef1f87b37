// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import WeirCache
import WeirClouds
import WeirHTTP
import WeirSource

/// A part of the cache that other accounts and credentials do not see.
struct CacheScope: Hashable, Sendable {
    /// The account name in lists of the cache, for a credential without a named account.
    static let unnamedAccount = "(credential)"
    /// The account name in lists of the cache, for a signature in an address.
    static let signature = "query:signature"

    /// The scope of requests without a credential.
    static let everyone = CacheScope(name: "", account: "")

    /// A part of each resource's identifier.
    let name: String
    /// The account's name, as lists of the cache show it; empty without a credential.
    let account: String

    /// Whether a text from a list of the cache is the name of an account.
    static func isNamed(_ account: String) -> Bool {
        ![self.everyone.account, self.unnamedAccount, self.signature].contains(account)
    }
}

extension ResourceKey {
    /// Makes the key of a resource in a scope.
    init(location: String, scope: CacheScope, display: String) {
        self.init(
            location: location,
            account: scope.account,
            scope: scope.name,
            display: display
        )
    }
}

/// Names the scopes of a cache folder.
///
/// If a credential has no account, the name of its scope is a keyed hash of the credential. Without
/// the key, an identifier reveals nothing about the credential.
///
/// The key is 32 random bytes in the file `scope.key` of the cache folder. Only the user may read
/// the file. All processes that share the folder share the key. The machines of a fleet derive the
/// key from the secret of their store instead. So all machines use the same name for a resource in
/// the store. If the folder cannot be written, the key lasts as long as the library.
struct CacheScopes: Sendable {
    private static let keySize = 32

    private let key: SymmetricKey

    /// The scopes of a cache folder; makes the folder's key if it does not exist.
    ///
    /// - Parameters:
    ///   - directory: the cache folder.
    ///   - fleetSecret: the secret of the store that the folder is a tier of; `nil` without a
    ///     store.
    init(directory: String, fleetSecret: [UInt8]?) {
        self =
            fleetSecret.map { CacheScopes(secret: $0) }
            ?? CacheScopes(key: Self.key(at: "\(directory)/scope.key"))
    }

    private init(key: SymmetricKey) { self.key = key }

    /// The scopes of all who share a secret.
    init(secret: [UInt8]) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret),
            info: Array("weir credential scope 1".utf8),
            outputByteCount: Self.keySize
        )
    }

    /// A key for another purpose, which every process and machine with the same scopes derives, too.
    func key(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self.key,
            info: Array(purpose.utf8),
            outputByteCount: Self.keySize
        )
    }

    /// The scope of a named account; without one, the scope of the credential that a request sends.
    ///
    /// An empty name means no account.
    subscript(account: String?, _ sent: CredentialScope) -> CacheScope {
        if let account, !account.isEmpty { return CacheScope(name: account, account: account) }
        switch sent {
        case .everyone: return .everyone
        case .account(let name): return CacheScope(name: name, account: name)
        case .credential(let text):
            let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: self.key)
            // No account has a name that begins with a zero byte.
            return CacheScope(name: "\0\(code.hexadecimal)", account: CacheScope.unnamedAccount)
        }
    }

    /// The scope of requests for an address.
    ///
    /// A signature in the address is not a credential of the user: it changes every time, and the
    /// origin has checked it. All signatures for an address share a scope. Requests without a
    /// signature do not see that scope.
    subscript(account: String?, of url: OriginURL, with headers: HTTPHeaderList) -> CacheScope {
        let scope = self[account, url.credentialScope(with: headers)]
        guard scope == .everyone, url.isSigned else { return scope }
        return CacheScope(name: CacheScope.signature, account: CacheScope.signature)
    }

    /// The key in a file; makes the file if it is missing or truncated.
    private static func key(at path: String) -> SymmetricKey {
        // Tries twice: another process may have made the file after the first attempt to read it.
        for _ in 0..<2 {
            if let bytes = Self.bytes(at: path) { return SymmetricKey(data: bytes) }
            Self.make(path)
        }
        return Self.bytes(at: path).map { SymmetricKey(data: $0) } ?? SymmetricKey(size: .bits256)
    }

    private static func bytes(at path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A copy of the folder may have another mode.
        fchmod(descriptor, 0o600)
        var bytes = [UInt8](repeating: 0, count: Self.keySize + 1)
        let count = read(descriptor, &bytes, bytes.count)
        // A file that cannot be read now may be readable later, so it stays.
        guard count >= 0 else { return nil }
        guard count == Self.keySize else {
            // A power cut has truncated the key: bytes stored with that key cannot be found again.
            unlink(path)
            return nil
        }
        return Array(bytes.prefix(count))
    }

    /// Makes the file with its whole content at once, unless another process was first.
    private static func make(_ path: String) {
        let part = "\(path).\(UUID().uuidString).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let isWritten =
            write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        if isWritten { link(part, path) }
        unlink(part)
    }
}

extension OriginURL {
    /// Headers that do not identify an account.
    private static let anonymous: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "dnt", "icy-metadata",
        "origin", "pragma", "referer", "user-agent",
    ]

    /// The scope of requests for the address: its user, and every header that may identify an
    /// account.
    ///
    /// - Parameter headers: all headers of a request, including the library's headers.
    /// - Returns: the scope; `everyone` without a credential.
    func credentialScope(with headers: HTTPHeaderList) -> CredentialScope {
        var parts: [String] = []
        if let info = self.userInfo { parts += ["userinfo", info.user, info.password] }
        let telling = headers.headers.filter { !Self.anonymous.contains($0.name.lowercased()) }
        // Fields of one name keep their order, which has a meaning (RFC 9110 §5.3).
        let names = Set(telling.map { $0.name.lowercased() }).sorted()
        for name in names {
            for header in telling where header.name.lowercased() == name {
                parts += [name, header.value]
            }
        }
        guard !parts.isEmpty else { return .everyone }
        return .credential(parts: parts)
    }
}
