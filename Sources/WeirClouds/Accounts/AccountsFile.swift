// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirHTTP
package import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The format in which accounts and their tokens are stored, in `accounts.json` and in the
/// keychain.
///
/// ```json
/// {"accounts": [{"accessToken": "…", "name": "me", "service": "yandex"}], "version": 1}
/// ```
package struct AccountsFile: Codable {
    /// The version that is written, and the newest that can be read.
    private static let currentVersion = 1

    private var version = Self.currentVersion
    private var accounts: [Entry]

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

    private init(_ accounts: [Entry]) { self.accounts = accounts }

    /// Reads accounts only from a text of the current version.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.version = try values.decode(Int.self, forKey: .version)
        self.accounts =
            self.version == Self.currentVersion
            ? try values.decode([Entry].self, forKey: .accounts) : []
    }

    /// Reads the text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - place: the place of the text, as a message names it: a path.
    /// - Returns: the accounts with their tokens.
    /// - Throws: `invalidRequest` for a text of a newer version and for an invalid text; the
    ///   message repeats no part of the text.
    package static func decode(
        _ bytes: [UInt8],
        from place: String
    ) throws(SourceError) -> [AccountID: AccountTokens] {
        let file = try? JSONDecoder().decode(Self.self, from: Data(bytes))
        guard let file, file.version >= Self.currentVersion else { throw Self.damaged(place) }
        guard file.version == Self.currentVersion else {
            throw PrivateFile.error("The accounts", "The accounts in \(place)") {
                "\($0) were written by a newer Weir (version \(file.version) of the file), so this version leaves them"
                    + " unchanged; use the newer version."
            }
        }
        var accounts: [AccountID: AccountTokens] = [:]
        for entry in file.accounts {
            accounts[AccountID(service: entry.service, name: entry.name)] = AccountTokens(
                accessToken: entry.accessToken,
                refreshToken: entry.refreshToken,
                expirySeconds: entry.expiry,
                clientIdentifier: entry.clientIdentifier,
                clientSecret: entry.clientSecret,
                scope: entry.scope,
                isRefreshRefused: entry.refreshRefused ?? false
            )
        }
        return accounts
    }

    /// Writes the text, with the accounts in order.
    package static func encode(_ accounts: [AccountID: AccountTokens]) throws(SourceError)
        -> [UInt8]
    {
        let entries = accounts.sorted { $0.key < $1.key }.map { account, tokens in
            Entry(
                service: account.service,
                name: account.name,
                accessToken: tokens.accessToken,
                refreshToken: tokens.refreshToken,
                expiry: tokens.expirySeconds,
                clientIdentifier: tokens.clientIdentifier,
                clientSecret: tokens.clientSecret,
                scope: tokens.scope,
                refreshRefused: tokens.isRefreshRefused ? true : nil
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(AccountsFile(entries)))
        } catch {
            // JSON can encode all these texts and whole numbers, so this cannot happen.
            throw SourceError(.invalidRequest, "The accounts could not be written as JSON.")
        }
    }

    /// The name of the file that is locked during the refresh of an account's token.
    ///
    /// An account's name may contain characters that a file name must not contain. So the file is
    /// named after a digest.
    static func lockName(of account: AccountID) -> String {
        let name = Array("\(account.service)\u{0}\(account.name)".utf8)
        return "accounts.\(SHA256.hash(data: name).prefix(8).hexadecimal).lock"
    }

    private static func damaged(_ place: String) -> SourceError {
        PrivateFile.error("The accounts", "The accounts in \(place)") {
            "\($0) cannot be read because they are damaged; Weir leaves them unchanged. Repair them, or move them away"
                + " and log in again."
        }
    }
}
