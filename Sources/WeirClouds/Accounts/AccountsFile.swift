// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import WeirSource

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The text of `accounts.json`.
///
/// ```json
/// {"accounts": [{"accessToken": "…", "name": "me", "service": "yandex"}], "version": 1}
/// ```
enum AccountsFile {
    /// The version that is written, and the newest that is read.
    static let version = 1

    private struct Header: Decodable {
        var version: Int
    }

    private struct Content: Codable {
        var version: Int
        var accounts: [Entry]
    }

    private struct Entry: Codable {
        var service: String
        var name: String
        var accessToken: String
        var refreshToken: String?
        var expiry: Int64?
        var clientIdentifier: String?
        var clientSecret: String?
        var scope: String?
        var refreshRefused: Bool?
    }

    /// Reads the text.
    ///
    /// - Throws: `invalidRequest` for a text of a newer version, or one that is no such text; the
    ///   sentence repeats nothing of it.
    static func decode(
        _ bytes: [UInt8],
        path: String
    ) throws(SourceError) -> [AccountID: AccountTokens] {
        let data = Data(bytes)
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: data) else {
            throw Self.damaged(path)
        }
        guard header.version <= Self.version else {
            throw SourceError(
                .invalidRequest,
                "The accounts in \(path) were written by a newer Weir (version \(header.version) of"
                    + " the file) and are left as they are; use that Weir."
            )
        }
        guard header.version == Self.version,
            let content = try? decoder.decode(Content.self, from: data)
        else { throw Self.damaged(path) }
        var accounts: [AccountID: AccountTokens] = [:]
        for entry in content.accounts {
            accounts[AccountID(service: entry.service, name: entry.name)] = AccountTokens(
                accessToken: entry.accessToken,
                refreshToken: entry.refreshToken,
                expiry: entry.expiry,
                clientIdentifier: entry.clientIdentifier,
                clientSecret: entry.clientSecret,
                scope: entry.scope,
                isRefreshRefused: entry.refreshRefused ?? false
            )
        }
        return accounts
    }

    /// Writes the text, the accounts in order.
    static func encode(_ accounts: [AccountID: AccountTokens]) throws(SourceError) -> [UInt8] {
        let entries = accounts.sorted { $0.key < $1.key }.map { account, tokens in
            Entry(
                service: account.service,
                name: account.name,
                accessToken: tokens.accessToken,
                refreshToken: tokens.refreshToken,
                expiry: tokens.expiry,
                clientIdentifier: tokens.clientIdentifier,
                clientSecret: tokens.clientSecret,
                scope: tokens.scope,
                refreshRefused: tokens.isRefreshRefused ? true : nil
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(Content(version: Self.version, accounts: entries)))
        } catch {
            // Texts and whole numbers: there is nothing that JSON could not say.
            throw SourceError(.invalidRequest, "The accounts could not be written as JSON.")
        }
    }

    /// The name of the file that is locked while an account's token is refreshed.
    ///
    /// A name of an account may hold what no name of a file can: its digest stands for it.
    static func lockName(of account: AccountID) -> String {
        let name = Array("\(account.service)\u{0}\(account.name)".utf8)
        let digest = SHA256.hash(data: name).prefix(8)
        let digits = digest.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0\(text)" : text
        }
        return "accounts.\(digits.joined()).lock"
    }

    private static func damaged(_ path: String) -> SourceError {
        SourceError(
            .invalidRequest,
            "The accounts in \(path) cannot be read because the file is damaged, and it is left as it"
                + " is; repair it, or move it away and log in again."
        )
    }
}
