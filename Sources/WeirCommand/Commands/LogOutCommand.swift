// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir

/// `weir logout`.
struct LogOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forget the tokens of an account.",
        discussion: """
            What was kept of its media stays in the cache.

            EXAMPLES
              weir logout yandex
              weir logout yandex --account work
            """
    )

    @Argument(help: ArgumentHelp("The service: yandex.", valueName: "service"))
    var service: String

    @Option(help: ArgumentHelp("Which account. (default: the only one)", valueName: "name"))
    var account: String?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        try ServiceName.check(self.service)
    }

    func run() throws {
        let store = FileTokenStore(directory: Surroundings().configurationDirectory)
        let account = try store.account(named: self.account, of: self.service)
        _ = try store.remove(account)
        if self.output.json {
            try Output.json(["service": account.service, "account": account.name])
        } else if !self.output.quiet {
            Output.note("Logged out: \(account).")
        }
    }
}
