// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir

/// `weir accounts`.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts that are logged in.",
        discussion: """
            EXAMPLES
              weir accounts
              weir accounts --json
            """
    )

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let store = FileTokenStore(directory: Surroundings().configurationDirectory)
        let accounts = try store.accounts()
        for account in accounts {
            guard let tokens = try store.tokens(of: account) else { continue }
            let line = Line(account, tokens)
            if self.output.json { try Output.json(line) } else { Output.print(line.text) }
        }
        if accounts.isEmpty, !self.output.quiet, !self.output.json {
            Output.note("No account is logged in; weir login yandex logs in.")
        }
    }

    /// An account, as it is shown.
    struct Line: Encodable {
        var service: String
        var account: String
        /// Whether weir can get the next token by itself.
        var renews: Bool
        /// Whether its service has refused to give the next one.
        var loggedOut: Bool
        var expires: String?

        init(_ account: AccountID, _ tokens: AccountTokens) {
            self.service = account.service
            self.account = account.name
            self.renews = tokens.renews
            self.loggedOut = tokens.isRefreshRefused
            self.expires = tokens.expiry.map {
                Date(timeIntervalSince1970: TimeInterval($0)).formatted(.iso8601)
            }
        }

        var text: String {
            let end = self.expires.map { "token until \($0)" } ?? "token without an end"
            let next =
                self.loggedOut
                ? ", not renewed: its service has logged it out; weir login \(self.service) --account \(self.account)"
                    + " logs in again"
                : self.renews ? ", renewed by itself" : ""
            return "\(self.service)  \(self.account)  \(end)\(next)"
        }
    }
}
