// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirClouds
import WeirConsole
import WeirSource

/// The arguments of a command that reads the page of a running server.
struct PageOptions: ParsableArguments {
    @Argument(
        help: .value(
            "address",
            "The address of the page, as weir serve prints it. (default: the address of the running server that"
                + " started last)"
        )
    )
    var address: String?

    @OptionGroup(title: "Output") var output: SpeechOptions

    func client() throws -> PageClient { try PageClient(self.address, ProgramEnvironment()) }
}

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show the activity of a running weir serve.",
        discussion: """
            Shows the cache and its limits, the requests of players, the requests to origins, and each station. With \
            --json, it prints all the data of the page in one object: every resource with its pieces, readers, \
            fetches, events, and the bytes of the last seconds. Metrics for Prometheus are at /page/metrics of the \
            same server, with the page's secret as a bearer token.

            EXAMPLES
              weir stats
              weir stats --json
            """
    )

    @OptionGroup var page: PageOptions

    func run() async throws {
        let client = try self.page.client()
        let state: ConsoleState
        do {
            state = try await Signals().interruptible { try await client.state() }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        guard !self.page.output.json else {
            return Output.print(state.jsonLine(as: "stats"))
        }
        for (name, text) in ServerFigures(state).lines {
            Output.print("\(name.padding(to: 9))\(text)")
        }
    }
}

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch a running weir serve in the terminal.",
        discussion: """
            Shows the figures of weir stats, then a line for each resource. Resources with readers or fetches come \
            first. The bar shows the resource from its start to its end; a darker cell has more held bytes. > is a \
            fetch, | is a reader, and * means pinned. The arrows, Page Up and Page Down scroll the list; ? shows all \
            keys; q or Ctrl-C quits. If the server restarts, weir top connects to it again. Without a terminal, and \
            with --json, it prints the output of weir stats.

            EXAMPLES
              weir top
              weir top http://127.0.0.1:4750/page/#0123456789abcdef
            """
    )

    @OptionGroup var page: PageOptions

    func run() async throws {
        let environment = ProgramEnvironment()
        guard !self.page.output.json, TerminalMode.isUsable(environment) else {
            var stats = StatsCommand()
            stats.page = self.page
            return try await stats.run()
        }
        let client = try self.page.client()
        let display = TopDisplay(hasColours: environment["NO_COLOR"] == nil)
        do {
            try await Signals().interruptible {
                try await Self.watch(client, display)
            }
        } catch is CancellationError {
            display.end()
            await client.close()
            throw ExitCode(ExitStatus.interrupted.rawValue)
        } catch {
            display.end()
            await client.close()
            throw error
        }
        display.end()
        await client.close()
    }

    /// Watches until the user presses q.
    private static func watch(_ client: PageClient, _ display: TopDisplay) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.states { display.draw($0, $1) } }
            group.addTask {
                for await _ in Signals.watch([SIGWINCH]) { display.resized() }
                // The stream ends when the task is cancelled.
                throw CancellationError()
            }
            group.addTask {
                for await key in TerminalKey.stream() where display.pressed(key) { return }
                // A signal ends the program when the terminal closes, so this task only has to
                // wait.
                try await Task.sleep(for: .seconds(86_400))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open the page of a running weir serve in the browser.",
        discussion: """
            The page shows every resource with its pieces, readers, fetches, stations, throughput and events as they \
            happen, plays media, and pins, exports, verifies and removes them. Its address has a secret after the #, \
            which a browser does not send. Anyone with this address can do everything that the page can do. If there \
            is no browser, the command prints the address.

            EXAMPLES
              weir open
              weir open --json
            """
    )

    @OptionGroup var page: PageOptions

    func run() async throws {
        let environment = ProgramEnvironment()
        let client = try self.page.client()
        let address: PageAddress
        do {
            // Check the server first; for a server that is not running, a browser would show its
            // own error.
            address = try await Signals().interruptible { try await client.check() }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        guard !self.page.output.json else {
            return try Output.json(["event": "page", "url": address.text])
        }
        let folder = environment.configurationDirectory
        guard let opener = Self.opener(environment),
            (try? Self.link(to: address, in: folder)) != nil
        else { return Output.print(address.text) }
        let process = Process()
        process.executableURL = URL(filePath: opener)
        process.arguments = ["\(folder)/page.html"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return Output.print(address.text) }
        process.waitUntilExit()
        // If the browser may not read the folder, only the browser reports it, so also print the
        // URL.
        if process.terminationStatus != 0 || Output.isTerminal { Output.print(address.text) }
    }

    /// The path of `open` or `xdg-open`; `nil` if it is not installed, or if there is no screen.
    private static func opener(_ environment: ProgramEnvironment) -> String? {
        #if os(macOS)
        return "/usr/bin/open"
        #else
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else {
            return nil
        }
        return (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/xdg-open" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        #endif
    }

    /// Writes a file that redirects a browser to the page.
    ///
    /// Other users of the machine can see the arguments of a program, but not the content of a file
    /// with mode 0600.
    private static func link(to address: PageAddress, in folder: String) throws(SourceError) {
        let text = """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <meta http-equiv="refresh" content="0; url=\(address.text)">
            <title>Weir</title>

            """
        try PrivateFile.replace(
            "\(folder)/page.html",
            with: Array(text.utf8),
            through: "\(folder)/page.html.\(ProcessInfo.processInfo.processIdentifier)"
        )
    }
}
