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
        abstract: "Play audio on this machine: files, folders, playlists and radio stations.",
        discussion: """
            Plays several things one after the other without a gap: the audio files of a folder, the entries of a \
            playlist. A radio station is a name from weir radio add, an address that begins with icy://, or a URL \
            whose server or playlist says so. If the connection to a station is lost, weir connects again. - is \
            standard input. weir sends headers of the command line only to the hosts on the command line, not to a \
            host that only a playlist names.

            On a terminal: space pauses, ← and → seek 10 s, ↑ and ↓ change the volume, n and p play the next or the \
            previous item, l goes to the live end, r records a station, m mutes, q quits, ? shows the keys. An item \
            longer than 10 min resumes at its last position; --start 0 plays it from the beginning. Without --force, \
            weir replaces no file: --sink wav:FILE refuses an existing file or a link, and a recording adds a number \
            to its file name.

            --json prints one object per line with the field event: state, item, failed, format, title, concealed, \
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
            "The audio output: alsa, null, wav:FILE, or - for raw samples on standard output; list shows the"
                + " available outputs. (default: alsa)"
        ),
        completion: .list(["alsa", "null", "wav:", "-", "list"]),
        transform: SinkChoice.read
    )
    var sink: SinkChoice?

    @Option(help: .value("name", "The ALSA device. (default: default)"))
    var device: String?

    @Option(
        help: .value("folder", "Record radio stations into this folder, a file for each title."),
        completion: .directory
    )
    var record: String?

    @Flag(help: "Play in random order.")
    var shuffle = false

    @Flag(name: .customLong("repeat"), help: "Start again after the last item.")
    var repeats = false

    @Flag(help: "Replace the file of --sink wav:FILE, and recordings of the same name.")
    var force = false

    @Option(
        help: .value(
            "time",
            "Stop after this time: 90s, 1:30, 2h. weir waits no longer than this for a station."
        ),
        transform: PlayTime.read
    )
    var length: PlayTime?

    @Option(
        help: .value("time", "The start position in the first item: 90s, 1:30."),
        transform: PlayTime.read
    )
    var start: PlayTime?

    @Option(
        help: .value("number", "The volume, from 0 to 100. (default: 100)"),
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
                "--repeat has no end, and a WAV file must have one; leave --repeat out, or name another --sink."
            )
        }
        if self.device != nil, self.choice != .alsa {
            throw ValidationError("--device names an ALSA device; use it only with --sink alsa.")
        }
        if self.choice == .standardOutput, isatty(STDOUT_FILENO) == 1 {
            throw ValidationError(
                "--sink - writes raw samples, and standard output is a terminal; redirect or pipe it."
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
                MediaResolver(library: library, settings: settings, stations: stations),
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
            // Write radio to a file in real time, so that events come at the same times as for a
            // listener.
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

    /// Refuses an unusable output file, before any request.
    ///
    /// An existing file or link needs `--force`, and must not be an input of the command. The sink
    /// checks again when it creates the file.
    private func checkFile() throws {
        guard case .wav(let path) = self.choice else { return }
        switch FileKind(path: path) {
        case .file, .link:
            guard self.force else {
                throw CommandError.usage(
                    "\(path) exists already; name another file with --sink wav:FILE, or replace it with --force."
                )
            }
            let present = FileIdentity(path: path)
            guard
                present == nil || !self.names.contains(where: { FileIdentity(path: $0) == present })
            else {
                throw CommandError.usage(
                    "\(path) is an input of this command; name another file with --sink wav:FILE."
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
        // The first recording creates a missing folder with its parents, so check the nearest
        // existing parent.
        while stat(folder.path, &status) != 0, errno == ENOENT, folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        if status.st_mode & S_IFMT == S_IFDIR, access(folder.path, W_OK | X_OK) == 0 { return }
        throw Self.noFolder(record)
    }

    /// Creates the folder for recordings, and checks with a trial file that it is writable.
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
            "Cannot write recordings to \(folder); name a writable folder with --record."
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
            display.note("\(name) is a film; weir play plays only its sound.")
        }
        // Sound for a file or standard output starts at the beginning, not at a remembered
        // position.
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

    /// Whether the display draws on the terminal, and the session reads keys.
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
                        "Resumes at \(position.clockText); --start 0 plays it from the beginning."
                    )
                }
            }
            return entry
        }
    }

    /// Throws the worst error or exit status; `leftOut` is the worst status of skipped list
    /// entries.
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
                    "Nothing was played: the item ends before --start, \(start.duration.clockText)."
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
