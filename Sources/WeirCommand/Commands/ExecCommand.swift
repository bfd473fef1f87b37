// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirProxy

/// `weir exec`.
struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a player on the proxied URL; end with it, with its exit code.",
        discussion: """
            {} stands for the URL in the player's arguments; without it the URL is the last argument.

            EXAMPLES
              weir exec https://cloud.example/film.mp4 --header @headers.txt -- mpv {}
              weir exec https://cloud.example/a.mp3 --keep whole -- ffplay -nodisp {}
            """
    )

    @Argument(help: ArgumentHelp("The URL of a resource.", valueName: "thing"))
    var thing: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The player and its arguments, after --.", valueName: "player")
    )
    var player: [String] = []

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard !self.player.isEmpty else {
            throw ValidationError(
                "No player: put it after --, as in: weir exec \(self.thing.prefix { $0 != "?" }) -- mpv {}"
            )
        }
    }

    func run() async throws {
        let signals = Signals.stream()
        let surroundings = Surroundings()
        let origin = try ServedOrigin(name: "origin", url: self.thing)
        let headers = try self.source.headerList(surroundings)
        let account = self.source.accountName(surroundings)
        CredentialWarning.say(
            origins: [origin],
            headers: headers,
            account: account,
            output: self.output
        )
        var options = try self.cache.libraryOptions(surroundings)
        try self.source.apply(to: &options, surroundings)
        let session = try await ServingSession(
            ServingSession.Plan(
                libraryOptions: options,
                origins: [origin],
                headers: headers,
                account: account,
                proxy: ProxyConfiguration(),
                output: self.output
            )
        )
        let code: Int32
        do {
            code = try await self.play(session.url(of: origin), until: signals)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        if self.output.verbose { Output.note(session.summary) }
        throw ExitCode(code)
    }

    /// Runs the player.
    ///
    /// Ctrl-C reaches it from the terminal; what reaches only us is passed on.
    private func play(_ url: String, until signals: AsyncStream<Int32>) async throws -> Int32 {
        let player = try Player(ExecCommand.arguments(self.player, url: url))
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await player.exitCode() }
            group.addTask {
                for await signal in signals where signal == SIGTERM {
                    kill(player.identifier, signal)
                }
                return nil
            }
            while let code = await group.next() {
                guard let code else { continue }
                group.cancelAll()
                return code
            }
            return ExitStatus.failed.rawValue
        }
    }

    /// The player's words with the URL in its place.
    static func arguments(_ words: [String], url: String) -> [String] {
        guard words.contains(where: { $0.contains("{}") }) else { return words + [url] }
        return words.map { $0.replacing("{}", with: url) }
    }
}
