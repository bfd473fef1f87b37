// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir

/// `weir login`.
struct LogInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to a service; its tokens are kept in your configuration folder.",
        discussion: """
            Yandex wants an application of your own: make one at https://oauth.yandex.ru with access to \
            Yandex.Disk and the redirect http://127.0.0.1:4748/callback, and give its id. Weir opens the page \
            where you agree, and waits for the answer on that address.

            EXAMPLES
              weir login yandex --client-id 0123456789abcdef
              weir login yandex --account work --token-env YANDEX_TOKEN
            """
    )

    @Argument(help: ArgumentHelp("The service: yandex.", valueName: "service"))
    var service: String

    @Option(
        help: ArgumentHelp("What the account is called here. (default: default)", valueName: "name")
    )
    var account: String = "default"

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The id of your application.", valueName: "id")
    )
    var clientIdentifier: String?

    @Option(
        name: .customLong("client-secret-env"),
        help: ArgumentHelp(
            "A variable that holds your application's secret.",
            valueName: "variable"
        )
    )
    var secretVariable: String?

    @Option(
        name: .customLong("token-env"),
        help: ArgumentHelp("A variable that holds a token you have already.", valueName: "variable")
    )
    var tokenVariable: String?

    @Option(
        help: ArgumentHelp(
            "The port of the redirect; 0 takes a free one. (default: 4748)",
            valueName: "port"
        )
    )
    var port: Int = 4748

    @Option(help: ArgumentHelp("What to ask for, in the service's words.", valueName: "scope"))
    var scope: String?

    @Flag(name: .customLong("no-browser"), help: "Only print the address where you agree.")
    var noBrowser = false

    @Option(
        name: .customLong("oauth"),
        help: ArgumentHelp("Where the log-in answers, if not at the service.", valueName: "url")
    )
    var oauth: String?

    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp("More certificate authorities to trust, as PEM.", valueName: "file")
    )
    var certificateFile: String?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        try ServiceName.check(self.service)
        guard ConfiguredSource.isName(self.account) else {
            throw ValidationError(
                "--account '\(self.account)' is no name; use letters, digits, - and _."
            )
        }
        guard (0...65535).contains(self.port) else {
            throw ValidationError("--port \(self.port) is no port; give one from 0 to 65535.")
        }
        guard (self.clientIdentifier != nil) != (self.tokenVariable != nil) else {
            throw ValidationError(
                "Give --client-id with your application's id, or --token-env with a variable that holds a token."
            )
        }
    }

    func run() async throws {
        let surroundings = Surroundings()
        let store = FileTokenStore(directory: surroundings.configurationDirectory)
        let account = AccountID(service: self.service, name: self.account)
        let tokens: AccountTokens
        if let tokenVariable {
            tokens = AccountTokens(accessToken: try Self.value(tokenVariable, surroundings))
        } else {
            do {
                let command = self
                tokens = try await Signals.interruptible { try await command.agreed(surroundings) }
            } catch is CancellationError {
                throw CommandError(.interrupted, "Interrupted; nobody was logged in.")
            }
        }
        try store.save(tokens, of: account)
        if self.output.json {
            try Output.json(["service": self.service, "account": self.account])
        } else if !self.output.quiet {
            Output.note(
                "Logged in as \(account). Use it with: account = \"\(self.account)\" in a source."
            )
        }
    }

    /// Sends the user to the service and waits for the answer.
    private func agreed(_ surroundings: Surroundings) async throws -> AccountTokens {
        let place = try YandexLogIn(self.oauth)
        let secret = try self.secretVariable.map { try Self.value($0, surroundings) }
        let state = AuthorizationRequest.randomState()
        let redirect = try await LoopbackRedirect.listen(
            state: state,
            path: "/callback",
            port: self.port
        )
        do {
            let request = AuthorizationRequest(
                endpoint: place.authorization,
                clientIdentifier: self.clientIdentifier ?? "",
                redirect: redirect.url,
                scope: self.scope,
                state: state
            )
            Output.note("Agree here; weir waits for the answer:\n\(request.url)")
            if !self.noBrowser { Browser.open(request.url) }
            let answer = try await redirect.answer()
            await redirect.close()
            var options = AsyncHTTPClientTransport.Options()
            options.caFile = self.certificateFile ?? surroundings["WEIR_CA_FILE"]
            let transport = try AsyncHTTPClientTransport(options)
            do {
                let client = OAuthClient(
                    endpoint: place.tokens,
                    client: ServiceClient(transport: transport)
                )
                let tokens = try await client.tokens(for: answer, to: request, clientSecret: secret)
                await transport.shutdown()
                return tokens
            } catch {
                await transport.shutdown()
                throw error
            }
        } catch {
            await redirect.close()
            throw error
        }
    }

    private static func value(_ variable: String, _ surroundings: Surroundings) throws -> String {
        guard let value = surroundings[variable] else {
            throw CommandError(
                .usage,
                "The variable \(variable) is not set; set it, or name another."
            )
        }
        return value
    }
}
