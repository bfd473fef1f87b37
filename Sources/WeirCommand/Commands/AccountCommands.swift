// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirClouds
import WeirHTTP
import WeirNIOTransport

struct LogInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to a service; its tokens are kept in your configuration folder.",
        discussion: """
            Yandex requires an application of your own. Create one at https://oauth.yandex.ru with access to \
            Yandex.Disk and the redirect http://127.0.0.1:4748/callback, and pass its id with --client-id. Weir opens \
            the consent page, and waits for the response on the redirect address.

            EXAMPLES
              weir login yandex --client-id 0123456789abcdef
              weir login yandex --account work --token-env YANDEX_TOKEN
            """
    )

    @Argument(help: .value("service", "The service: yandex."))
    var service: String

    @Option(help: .value("name", "A name for the account in Weir."))
    var account: String = "default"

    @Option(name: .customLong("client-id"), help: .value("id", "The id of your application."))
    var clientIdentifier: String?

    @Option(
        name: .customLong("client-secret-env"),
        help: .value("variable", "A variable that holds your application's secret.")
    )
    var secretVariable: String?

    @Option(
        name: .customLong("token-env"),
        help: .value("variable", "A variable that holds a token you have already.")
    )
    var tokenVariable: String?

    @Option(help: .value("port", "The port of the redirect; 0 takes a free one."))
    var port: Int = 4748

    @Option(help: .value("scope", "The OAuth scope to request."))
    var scope: String?

    @Flag(name: .customLong("no-browser"), help: "Only print the address of the consent page.")
    var noBrowser = false

    @Option(
        name: .customLong("oauth"),
        help: .value("url", "The OAuth server to use instead of the service's.")
    )
    var oauth: String?

    @Option(
        name: .customLong("ca-file"),
        help: .value("file", "More certificate authorities to trust, as PEM.")
    )
    var certificateFile: String?

    @OptionGroup(title: "Output") var output: SpeechOptions

    func validate() throws {
        try Self.check(service: self.service)
        guard ConfiguredSource.isName(self.account) else {
            throw ValidationError(
                "--account '\(self.account)' is not a valid name; use letters, digits, - and _."
            )
        }
        guard (0...65535).contains(self.port) else {
            throw ValidationError("--port \(self.port) is not a port; give one from 0 to 65535.")
        }
        guard (self.clientIdentifier != nil) != (self.tokenVariable != nil) else {
            throw ValidationError(
                "Give --client-id with your application's id, or --token-env with a variable that holds a token."
            )
        }
    }

    func run() async throws {
        let environment = ProgramEnvironment()
        let store = FileTokenStore(directory: environment.configurationDirectory)
        let account = AccountID(service: self.service, name: self.account)
        let tokens: AccountTokens
        if let tokenVariable {
            tokens = AccountTokens(accessToken: try Self.value(tokenVariable, environment))
        } else {
            do {
                let command = self
                tokens = try await Signals().interruptible { try await command.agreed(environment) }
            } catch is CancellationError {
                throw CommandError.interrupted("Interrupted; no account was logged in.")
            }
        }
        try store.save(tokens, of: account)
        if self.output.json {
            try Output.json([
                "event": "loggedIn", "service": self.service, "account": self.account,
            ])
        } else if !self.output.quiet {
            Output.note(
                "Logged in as \(account). Use it with: account = \"\(self.account)\" in a source."
                    + (self.tokenVariable == nil
                        ? ""
                        : " Weir has not tested the token yet; weir doctor tests it when a source uses it.")
            )
        }
    }

    /// Shows the user the service's consent page, and returns the tokens after the consent.
    private func agreed(_ environment: ProgramEnvironment) async throws -> AccountTokens {
        let endpoints = try YandexDisk.logIn(self.oauth)
        let secret = try self.secretVariable.map { try Self.value($0, environment) }
        let state = AuthorizationRequest.randomState()
        let redirect = try await LoopbackRedirect.listen(
            state: state,
            path: "/callback",
            port: self.port
        )
        do {
            let request = AuthorizationRequest(
                endpoint: endpoints.page,
                clientIdentifier: self.clientIdentifier ?? "",
                redirect: redirect.url,
                scope: self.scope,
                state: state
            )
            var options = NIOTransport.Options()
            options.caFile = try SourceOptions.certificatePath(
                self.certificateFile ?? environment["WEIR_CA_FILE"]
            )
            let transport = try NIOTransport(options)
            do {
                let client = OAuthClient(
                    endpoint: endpoints.tokens,
                    client: ServiceClient(transport: transport)
                )
                let opensBrowser = !self.noBrowser
                let browser = LoopbackBrowser(redirect) { request in
                    Output.note(
                        "Consent on this page; weir waits for the response:\n\(request.url)"
                    )
                    if opensBrowser { Self.openBrowser(request.url) }
                }
                let tokens = try await client.logIn(
                    with: request,
                    clientSecret: secret,
                    in: browser
                )
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

    private static func value(_ variable: String, _ environment: ProgramEnvironment) throws
        -> String
    {
        guard let value = environment[variable] else {
            throw CommandError.usage(
                "The variable \(variable) is not set; set it, or name another."
            )
        }
        return value
    }
}

struct LogOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forget an account: its tokens and cached files.",
        discussion: """
            This also removes the account's downloads and cached files, even pinned ones. To keep them as plain files, \
            export them first.

            EXAMPLES
              weir logout yandex
              weir logout yandex --account work
            """
    )

    @Argument(help: .value("service", "The service: yandex."))
    var service: String

    @Option(help: .value("name", "Which account. (default: the only one)"))
    var account: String?

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: SpeechOptions

    func validate() throws {
        try Self.check(service: self.service)
    }

    func run() async throws {
        try self.cache.requireFolder()
        let store = FileTokenStore(directory: ProgramEnvironment().configurationDirectory)
        let account = try store.account(named: self.account, of: self.service)
        // Remove the tokens first: an unusable cache must not prevent the log-out.
        _ = try store.remove(account)
        let removal = try await self.cache.withExistingLibrary { library in
            try await library.removeAll(of: account.description)
        }
        let files = removal?.resourceCount ?? 0
        let bytes = removal?.byteCount ?? 0
        if self.output.json {
            try Output.json([
                "event": "loggedOut", "service": account.service, "account": account.name,
                "removed": files, "heldBytes": bytes,
            ])
        } else if !self.output.quiet {
            let what = files == 1 ? "1 file" : "\(files) files"
            Output.note(
                "Logged out: \(account)."
                    + (files > 0
                        ? " Removed \(what) (\(ByteSize.format(bytes))) from the cache." : "")
            )
        }
    }
}

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

    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() throws {
        let store = FileTokenStore(directory: ProgramEnvironment().configurationDirectory)
        let accounts = try store.accounts()
        for account in accounts {
            guard let tokens = try store.tokens(of: account) else { continue }
            if self.output.json {
                try Output.json(Self.json(account, tokens))
            } else {
                Output.print(Self.line(account, tokens))
            }
        }
        if accounts.isEmpty, !self.output.quiet, !self.output.json {
            Output.note("No account is logged in; weir login yandex logs in.")
        }
    }

    /// An account, as `--json` prints it.
    static func json(_ account: AccountID, _ tokens: AccountTokens) -> JSON {
        [
            "event": "account", "service": account.service, "account": account.name,
            // Whether weir can renew the token without the user.
            "renews": tokens.renews,
            // Whether the service has refused to renew the token.
            "loggedOut": tokens.isRefreshRefused,
            "expires": Self.expiry(tokens),
        ]
    }

    static func line(_ account: AccountID, _ tokens: AccountTokens) -> String {
        let (service, name) = (account.service, account.name)
        let end = Self.expiry(tokens).map { "token until \($0)" } ?? "token without an expiry date"
        let next =
            tokens.isRefreshRefused
            ? ", not renewed: its service has logged it out; weir login \(service) --account \(name)"
                + " logs in again"
            : tokens.renews ? ", renewed automatically" : ""
        return "\(service)  \(name)  \(end)\(next)"
    }

    private static func expiry(_ tokens: AccountTokens) -> String? {
        tokens.expiry.map { $0.formatted(.iso8601) }
    }
}

extension ParsableCommand {
    /// Checks that weir can log in to a service.
    ///
    /// - Throws: `ValidationError` for an unknown name, with the nearest known name.
    fileprivate static func check(service: String) throws {
        let known = ["yandex"]
        guard !known.contains(service) else { return }
        let nearest = known.nearest(to: service).map { " Did you mean \($0)?" } ?? ""
        throw ValidationError(
            "There is no log-in for '\(service)'; weir knows: \(known.joined(separator: ", ")).\(nearest)"
        )
    }
}

extension YandexDisk {
    /// The URLs of the consent page and of the token endpoint, at the service or below another base
    /// URL.
    ///
    /// - Throws: `SourceError` with `invalidRequest`.
    static func logIn(_ base: String?) throws(SourceError) -> (page: String, tokens: OriginURL) {
        guard var base else { return (Self.authorization, try OriginURL(Self.tokens)) }
        while base.hasSuffix("/") { base.removeLast() }
        return ("\(base)/authorize", try OriginURL("\(base)/token"))
    }
}

extension LogInCommand {
    /// Opens a URL in the user's browser, if possible; the caller has printed it.
    private static func openBrowser(_ url: String) {
        #if os(macOS)
        Self.start("open", url)
        #elseif !canImport(Darwin)
        // Without a screen, xdg-open could start a text browser in the terminal.
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        Self.start("xdg-open", url)
        #endif
    }

    // Other Apple platforms cannot start programs, and their Foundation has no Process.
    #if os(macOS) || !canImport(Darwin)
    private static func start(_ program: String, _ url: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--", program, url]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? OpenFileLimit.withOriginal { try process.run() }
    }
    #endif
}
