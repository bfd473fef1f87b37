// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CWeirSignals
import Dispatch
import Foundation

@main
struct TestServersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "weir-test-servers",
        abstract: "Services on loopback for tests: strict, and wrong on demand.",
        discussion: """
            EXAMPLES
              A Yandex.Disk of a folder, with links that live five seconds:
                weir-test-servers yandex --folder ~/Music --link-life 5

              A Yandex.Disk that treats the next two opened links as expired:
                weir-test-servers yandex --fault 'link-gone*2'

              A radio station that answers as SHOUTcast does, at 128 kbit/s:
                weir-test-servers radio --rate 16000 --behaviour icy song.mp3
            """,
        version: "0.1.0",
        subcommands: [YandexCommand.self, RadioCommand.self]
    )

    static func main() async {
        do {
            var command = try Self.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Self.end(with: error)
        }
    }

    /// Prints the error or the requested text; exits with 2 for wrong usage, and with 1 for any
    /// other error.
    private static func end(with error: any Error) -> Never {
        switch Self.exitCode(for: error) {
        case .success:
            print(Self.fullMessage(for: error))
            Foundation.exit(0)
        case .validationFailure:
            let sentence = Self.message(for: error)
            let names = [YandexCommand.configuration, RadioCommand.configuration]
                .compactMap { $0.commandName }
            let page = names.first { CommandLine.arguments.dropFirst().first == $0 }
            let command = ["weir-test-servers", page, "--help"].compactMap { $0 }
            Self.complain("\(sentence)\nSee \(command.joined(separator: " ")).")
            Foundation.exit(2)
        default:
            Self.complain("weir-test-servers: \(error)")
            Foundation.exit(1)
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Prints a value to standard output, as JSON on one line.
    static func printJSON(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and whole numbers can always be encoded. A failed write does not matter: the reader
        // has gone.
        guard let line = try? encoder.encode(value) else { return }
        try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
    }

    /// Raises the limit of open files as far as the system allows.
    ///
    /// Each file that has been read needs a descriptor, and so does each connection.
    static func raiseFileLimit() {
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        // Some systems refuse more, whatever maximum they report.
        limit.rlim_cur = min(limit.rlim_max, 10_240)
        setrlimit(resource, &limit)
    }
}

/// Waits for the program's end: SIGTERM, SIGINT, or the end of standard input.
struct Ending {
    private let source: any DispatchSourceRead
    private let events: AsyncStream<Void>

    init() {
        let (events, event) = AsyncStream.makeStream(of: Void.self)
        self.events = events
        signal(SIGPIPE, SIG_IGN)
        self.source = DispatchSource.makeReadSource(
            fileDescriptor: weir_signal_pipe(),
            queue: .global()
        )
        self.source.setEventHandler { event.yield() }
        self.source.resume()
        for number in [SIGTERM, SIGINT] { _ = weir_watch_signal(number) }
        guard Self.isInputWatched else { return }
        // Lives until the input or the program ends.
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(STDIN_FILENO, &bytes, bytes.count) > 0 {}
            event.yield()
        }
    }

    func wait() async {
        for await _ in self.events { break }
        self.source.cancel()
    }

    /// Whether the end of the input ends the program: it does if the input is a pipe or a socket.
    ///
    /// A shell gives programs in the background an empty input, and a terminal has Control-C.
    private static var isInputWatched: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFSOCK
    }
}
