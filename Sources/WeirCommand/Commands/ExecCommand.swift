// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirAudio
import WeirProxy

struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a player with the proxied URL, and exit with it.",
        discussion: """
            {} stands for the URL in the player's arguments; without {}, the URL is the last argument. For a folder, \
            it is the URL of a playlist of all playable files in the folder and its subfolders. A radio station is a \
            name from weir radio add, or an address that begins with icy://. If the connection to a station is lost, \
            weir connects again, and the player goes on. The URL opens only the named thing, and is valid until the \
            player exits. weir then exits with the player's exit code. On Linux, only programs of your own user (and \
            root) can open the URL. The player does not receive the variables with headers, passwords, tokens and \
            keys.

            EXAMPLES
              weir exec https://cloud.example/film.mp4 --header @headers.txt -- mpv {}
              weir exec yandex:/Music/a.mp3 -- ffplay -nodisp {}
              weir exec groove -- mpv {}
            """
    )

    @Argument(
        help: .value(
            "thing",
            "A URL, a file or folder, NAME:PATH of a source, or a radio station."
        ),
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
        let signals = Signals()
        let ends = signals.stream()
        let settings = try MediaSettings([self.name], self.options)
        let name = self.name
        let stations = try StationList.read(settings.environment)
        var session = try await ServingSession(
            settings,
            self.options.output,
            proxy: ProxyConfiguration(
                // Make a secret for this run only: it is in the player's arguments, which all users
                // can read.
                secret: ProxySecret().text,
                eventLoopCount: settings.eventLoopCount,
                admitsOnlySameUser: true
            )
        ) { library in
            [
                try MediaResolver(library: library, settings: settings, stations: stations)
                    .reference(name).namedOnly
            ]
        }
        let secrets = settings.configuration.sources.flatMap(\.secretVariables)
        let code: Int32
        do {
            var url = session.url(of: session.references[0])
            let library = session.library
            if case .media(let location) = session.references[0],
                let folder = try await signals.interruptible({
                    try await location.folder(in: library)
                })
            {
                session.serve([.media(folder)])
                let reference = session.references[0]
                let sentences = try await signals.interruptible {
                    try await reference.checkPlaylist(in: library)
                }
                for sentence in sentences { self.options.output.warn("warning: \(sentence)") }
                url = "\(session.url(of: .media(folder)))\(MediaRouter.playlistQuery)"
            } else {
                let (command, session) = (self, session)
                try await signals.interruptible { try await command.warnOfPlaylist(session) }
            }
            if self.options.output.json {
                try Output.json(session.json(of: session.references[0], at: url))
            }
            code = try await self.play(url, without: secrets, until: ends)
            self.tellOfRest(session)
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

    /// Warns if the player will request absolute URLs of a playlist directly, without the proxy.
    private func warnOfPlaylist(_ session: ServingSession) async throws {
        guard case .media(let location) = session.references[0],
            let media = try? location.media(in: session.library),
            await self.isPlaylist(location, media),
            let playlist = try? await Playlist.read(media, of: location.display),
            playlist.kind != .hls,
            playlist.entries.contains(where: { $0.location.contains(":/") })
        else { return }
        self.options.output.warn(
            "warning: The playlist contains whole URLs, or paths of sources. The player requests them itself, without"
                + " headers, and weir does not keep them. weir play plays them through the cache, and weir get -r"
                + " downloads them."
        )
    }

    /// Whether a medium is a playlist, by its name, or else by its bytes.
    private func isPlaylist(_ location: MediaLocation, _ media: Media) async -> Bool {
        let path = String(ServedPath.path(of: location.target[...]))
        if ServedPath.isPlaylist(path) { return true }
        guard location.knownStorage == nil, PathKind(path: path) == .unknown else {
            return false
        }
        let description = try? await media.describe()
        return await media.beginsAsPlaylist(ofLength: description?.length)
    }

    /// Warns if `--keep whole` was given, but the player exited before the cache held the whole
    /// medium.
    private func tellOfRest(_ session: ServingSession) {
        guard self.options.load.keep == .whole,
            case .media(let location) = session.references[0],
            let media = try? location.media(in: session.library),
            let length = media.availability.length
        else { return }
        let held = media.availability.held.byteCount
        guard held > 0, held < length else { return }
        self.options.output.warn(
            "\(held * 100 / length) % of \(location.display) is kept: the player exited before the rest arrived. weir"
                + " get fetches the rest."
        )
    }

    /// Runs the player.
    ///
    /// In a terminal, Ctrl-C reaches the player, too. This method passes on all other signals.
    private func play(
        _ url: String,
        without configured: [String],
        until signals: AsyncStream<Int32>
    ) async throws -> Int32 {
        let named =
            self.options.source.variables + [self.options.cipher.keyVariable].compactMap(\.self)
        let secrets = configured + named
        let player = try OpenFileLimit.withOriginal {
            try PlayerProcess(ExecCommand.arguments(self.player, url: url), without: secrets)
        }
        let hasTerminal = TerminalMode.hasTerminal
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await player.exitCode() }
            group.addTask {
                for await signal in signals where signal != SIGINT || !hasTerminal {
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

    /// The player's words with the URL in place of `{}`, or at the end.
    static func arguments(_ words: [String], url: String) -> [String] {
        guard words.contains(where: { $0.contains("{}") }) else { return words + [url] }
        return words.map { $0.replacing("{}", with: url) }
    }
}
