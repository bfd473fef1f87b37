// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache
import WeirLive
import WeirPlayback
import WeirPlayer

struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play sound here: files, folders, playlists and radio stations.",
        discussion: """
            Several things are played one after the other without a gap; of a folder its sound files, of a \
            playlist its entries. A radio station is what weir radio add has named, an address that begins with \
            icy://, or a URL whose server or playlist says so; it is asked again whenever it is lost. - is what \
            comes on standard input. Headers of the command line go to the hosts that it names, and to no \
            host that only a playlist names.

            On a terminal: space pauses, ← and → move 10 s, ↑ and ↓ change the volume, n and p choose another, l \
            goes live, r records a station, m mutes, q quits, ? shows this. What is longer than 10 min goes on where \
            it was left; --start 0 plays it from its beginning. Nothing that is there is replaced without --force: --sink \
            wav:FILE refuses a file or a link, and a recording gives its file a number.

            --json prints an object a line with the field event: state, item, failed, format, title, concealed, \
            trouble, skipped, station, recording or note; further fields are state, reason, message, position \
            (seconds), sample, title, artist, item, duration, buffered, underruns, delay, file and others.

            EXAMPLES
              weir play yandex:/Music/Album
              weir play https://radio.example/stream --record recordings
            """
    )

    @Argument(
        help: .value(
            "thing",
            "URLs, files, folders, playlists, NAME:PATH of a source, or names of stations."
        ),
        completion: Completions.things
    )
    var names: [String] = []

    @Option(
        help: .value(
            "sink",
            "Where the sound goes: alsa, null, wav:FILE, or - for raw samples on standard output; list shows what there is. (default: alsa)"
        ),
        completion: .list(["alsa", "null", "wav:", "-", "list"]),
        transform: SinkChoice.read
    )
    var sink: SinkChoice?

    @Option(help: .value("name", "The device of ALSA. (default: default)"))
    var device: String?

    @Option(
        help: .value("folder", "Record radio stations into this folder, a file for each title."),
        completion: .directory
    )
    var record: String?

    @Flag(help: "Play in another order each time.")
    var shuffle = false

    @Flag(name: .customLong("repeat"), help: "Begin again at the end.")
    var repeats = false

    @Flag(help: "Replace the file of --sink wav:FILE, and recordings of the same name.")
    var force = false

    @Option(
        help: .value(
            "time",
            "Play so much and end: 90s, 1:30, 2h. A station that is not heard in this time is not waited for."
        ),
        transform: PlayTime.read
    )
    var length: PlayTime?

    @Option(
        help: .value("time", "Where to begin in the first thing: 90s, 1:30."),
        transform: PlayTime.read
    )
    var start: PlayTime?

    @Option(
        help: .value("number", "How loud, from 0 to 100. (default: 100)"),
        transform: Volume.read
    )
    var volume: Volume?

    @OptionGroup var options: MediaOptions

    private var choice: SinkChoice { self.sink ?? .usual }

    func validate() throws {
        if self.names.isEmpty, self.choice != .list {
            throw ValidationError("Nothing to play: name a file, a folder, a URL or a station.")
        }
        if self.repeats, self.choice.isFile {
            throw ValidationError(
                "--repeat has no end, and a WAV file must have one; leave it out, or let the sound go elsewhere."
            )
        }
        if self.device != nil, self.choice != .alsa {
            throw ValidationError("--device names a device of ALSA; it goes with --sink alsa only.")
        }
        if self.choice == .standardOutput, isatty(STDOUT_FILENO) == 1 {
            throw ValidationError(
                "--sink - writes raw samples, and standard output is a terminal; redirect it or pipe it on."
            )
        }
    }

    func run() async throws {
        if self.choice == .list { return try self.listSinks() }
        try self.checkFile()
        try self.checkFolder()
        let signals = Signals()
        let notes = NoteRelay()
        let settings = try MediaSettings(self.names, self.options, note: { notes.note($0) })
        let sink = try self.choice.sink(device: self.device, isReplacing: self.force)
        let stations = try StationList.read(settings.environment)
        let command = self
        let (ending, played, leftOut) = try await settings.withLibrary { library in
            let queue = PlayQueue(
                command.names,
                settings.resolver(library, stations: stations),
                note: command.options.output.warn
            )
            let holds: Signals? =
                command.drawsOnTerminal(settings.environment)
                ? Signals([SIGTSTP, SIGCONT, SIGQUIT]) : nil
            let opening = OpeningTerminal(holds?.stream()) { notes.note($0) }
            let found: [PlayerItem]? = try await signals.interruptible {
                try await opening.during { try await queue.entries() }
            }
            guard var entries = found else {
                return (PlayMachine.Ending.quit, [String?](), ExitStatus.done)
            }
            if command.shuffle { entries.shuffle() }
            if entries.contains(where: { $0.station != nil }) { try command.makeFolder() }
            // Radio is written in real time, so that its states match those of a listener.
            let isRadio = entries.contains { $0.station != nil }
            let paced = isRadio && command.choice.isFile ? PacedSink(wrapping: sink) : sink
            let ending = await command.play(
                entries,
                paced,
                settings.environment,
                notes,
                signals,
                holds
            )
            for entry in entries { await entry.station?.close() }
            return (ending, entries.map(\.name), queue.worst.status)
        }
        try self.end(ending, of: played, leftOut)
    }

    private func listSinks() throws {
        for sink in try ListedSink.all() {
            if self.options.output.json {
                try Output.json(sink.json)
            } else {
                Output.print(sink.line)
            }
        }
    }

    /// Refuses a file that must not be replaced before any request; the sink checks again when it creates the file.
    private func checkFile() throws {
        guard case .wav(let path) = self.choice else { return }
        switch FileKind(path: path) {
        case .file, .link:
            guard self.force else {
                throw CommandError.usage(
                    "\(path) is there already; name another file with --sink wav:FILE, or replace it with --force."
                )
            }
            let present = FileIdentity(path: path)
            guard
                present == nil || !self.names.contains(where: { FileIdentity(path: $0) == present })
            else {
                throw CommandError.usage(
                    "\(path) is what is to be played; name another file with --sink wav:FILE."
                )
            }
        default: return
        }
    }

    /// Refuses an unusable folder for recordings, before anything plays.
    private func checkFolder() throws {
        guard let record else { return }
        var status = stat()
        var folder = URL(fileURLWithPath: record)
        // The first recording creates a missing folder with its parents, so check the nearest one that exists.
        while stat(folder.path, &status) != 0, errno == ENOENT, folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        if status.st_mode & S_IFMT == S_IFDIR, access(folder.path, W_OK | X_OK) == 0 { return }
        throw Self.noFolder(record)
    }

    /// Creates the folder for recordings, and a trial file in it, since permissions do not show everything.
    private func makeFolder() throws {
        guard let record else { return }
        let folder = URL(fileURLWithPath: record)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let trial = folder.appending(path: ".weir-\(UUID().uuidString).part")
            try Data().write(to: trial, options: .withoutOverwriting)
            try FileManager.default.removeItem(at: trial)
        } catch {
            throw Self.noFolder(record)
        }
    }

    private static func noFolder(_ folder: String) -> CommandError {
        CommandError.failed(
            "\(folder) cannot be a folder for recordings; name one that can be written to with --record."
        )
    }

    private func play(
        _ entries: [PlayerItem],
        _ sink: any AudioSink,
        _ environment: ProgramEnvironment,
        _ notes: NoteRelay,
        _ signals: Signals,
        _ holds: Signals?
    ) async -> PlayMachine.Ending {
        let output = self.options.output
        let display: any PlayDisplay =
            holds != nil
            ? TerminalDisplay(hasColours: environment["NO_COLOR"] == nil)
            : PlainDisplay(output, isOutputTaken: self.choice == .standardOutput)
        notes.redirect { display.note($0) }
        defer { notes.redirect(to: nil) }
        display.begin(self.choice.name(device: self.device))
        for name in entries.compactMap(\.name)
        where !output.quiet && PathKind.isFilm(FolderEntry(name: name, kind: .file)) {
            display.note("\(name) is a film, of which only the sound is played here.")
        }
        // Sound that is only written to a file starts at the beginning.
        let isHeard = self.choice == .alsa || self.choice == .device || self.choice == .null
        let positions = isHeard ? PositionsFile(environment) : nil
        let limited = self.length.map { LimitedSink(sink, length: $0.duration) }
        let session = PlaySession(
            Player(decoders: PlatformSound.decoders, sink: limited ?? sink),
            display,
            signals,
            holds,
            PlaySession.Plan(
                entries: self.placed(entries, positions, display),
                volume: self.volume?.share,
                length: self.length?.duration,
                lengthReached: limited?.reached,
                recordingFolder: self.record,
                isReplacing: self.force,
                repeats: self.repeats,
                positions: positions
            )
        )
        return await session.run()
    }

    /// Whether the display uses the terminal: it draws, and the session reads keys.
    private func drawsOnTerminal(_ environment: ProgramEnvironment) -> Bool {
        !self.options.output.json && !self.options.output.quiet
            && TerminalMode.isUsable(
                environment,
                playsInput: self.names.contains(StandardInputSource.name)
            )
    }

    /// The entries, each with its start position.
    private func placed(
        _ entries: [PlayerItem],
        _ positions: PositionsFile?,
        _ display: any PlayDisplay
    ) -> [PlayerItem] {
        let known = positions?.read()
        return entries.enumerated().map { index, entry in
            var entry = entry
            if index == 0, let start {
                entry.start = start.duration
            } else if let digest = entry.positionDigest, let position = known?[digest] {
                entry.start = position
                if index == 0 {
                    display.note(
                        "Goes on at \(position.clockText); --start 0 plays it from its beginning."
                    )
                }
            }
            return entry
        }
    }

    /// Ends with the worst error; `leftOut` is the worst status of skipped list entries.
    private func end(
        _ ending: PlayMachine.Ending,
        of names: [String?],
        _ leftOut: ExitStatus
    ) throws {
        switch ending {
        case .signal: throw ExitCode(ExitStatus.interrupted.rawValue)
        case .over(let snapshot):
            if snapshot.stopReason == .error, let failure = snapshot.failure {
                throw CommandError(failure)
            }
            if leftOut != .done { throw ExitCode(leftOut.rawValue) }
        case .unheard:
            if let start {
                self.options.output.warn(
                    "Nothing was heard: what was to be played ends before --start, \(start.duration.clockText)."
                )
            }
            if leftOut != .done { throw ExitCode(leftOut.rawValue) }
        case .quit: return
        case .incomplete(let failure, let item):
            let error = CommandError(failure)
            let name = item.flatMap { names.count > 1 ? names[$0] : nil }
            let sentence =
                name.map { error.description.contains($0) ? "" : "\($0.printableLine): " } ?? ""
            throw CommandError(max(error.status, leftOut), sentence + error.description)
        case .unrecorded(let sentence): throw CommandError(max(.failed, leftOut), sentence)
        }
    }
}
