// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirProxy

struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a player on the proxied URL; end with it, with its exit code.",
        discussion: """
            {} stands for the URL in the player's arguments; without it the URL is the last argument. A radio station \
            is what weir radio add has named, or an address that begins with icy://; it is asked again whenever it is \
            lost, and the player goes on. The URL ends with the player, and opens what was named and no more; on \
            Linux, only programs of your own user (and root) can open it.

            EXAMPLES
              weir exec https://cloud.example/film.mp4 --header @headers.txt -- mpv {}
              weir exec yandex:/Music/a.mp3 -- ffplay -nodisp {}
              weir exec groove -- mpv {}
            """
    )

    @Argument(
        help: .value("thing", "A URL, a file, NAME:PATH of a source, or a radio station."),
        completion: Completions.things
    )
    var name: String

    @Argument(
        parsing: .postTerminator,
        help: .value("player", "The player and its arguments, after --.")
    )
    var player: [String] = []

    @OptionGroup var options: MediaOptions

    func validate() throws {
        guard !self.player.isEmpty else {
            throw ValidationError(
                "No player: put it after --, as in: weir exec \(self.name.prefix { $0 != "?" }) -- mpv {}"
            )
        }
    }

    func run() async throws {
        let signals = Signals().stream()
        let settings = try MediaSettings([self.name], self.options)
        let name = self.name
        let stations = try StationList.read(settings.environment)
        let session = try await ServingSession(
            settings,
            self.options.output,
            proxy: ProxyConfiguration(
                // Of this run, and of no other: it stands in the player's arguments, which all users may read.
                secret: ProxySecret().text,
                eventLoopCount: settings.eventLoopCount,
                admitsOnlySameUser: true
            )
        ) { library in
            [try settings.resolver(library, stations: stations).reference(name).namedOnly]
        }
        let code: Int32
        do {
            let reference = session.references[0]
            if case .media(let location) = reference {
                // A folder, or a file that is not there, is an error before a player starts.
                let media = try location.media(in: session.library)
                try await location.check(media, in: session.library)
            }
            if self.options.output.json { try Output.json(session.json(of: reference)) }
            code = try await self.play(session.url(of: reference), until: signals)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        if self.options.output.verbose { Output.note(session.summary) }
        if self.options.output.json {
            try Output.json(["event": "playerEnded", "status": code])
        }
        throw ExitCode(code)
    }

    /// Runs the player.
    ///
    /// Ctrl-C reaches it from the terminal; signals that reach only this program are passed on.
    private func play(_ url: String, until signals: AsyncStream<Int32>) async throws -> Int32 {
        let player = try OpenFileLimit.withOriginal {
            try PlayerProcess(ExecCommand.arguments(self.player, url: url))
        }
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await player.exitCode() }
            group.addTask {
                for await signal in signals where signal != SIGINT {
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
