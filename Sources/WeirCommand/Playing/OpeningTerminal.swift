// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads keys while `weir play` opens its items, which may wait for a silent server; draws nothing.
struct OpeningTerminal: Sendable {
    private enum Outcome<Value: Sendable>: Sendable {
        case opened(Value)
        case quit
        /// There are no more keys or signals.
        case ended
    }

    private let note: @Sendable (String) -> Void
    private let keys: @Sendable () -> AsyncStream<TerminalKey>
    private let signals: AsyncStream<Int32>?
    private let mode = TerminalMode()

    /// - Parameters:
    ///   - signals: SIGTSTP, SIGCONT and SIGQUIT; `nil` if there is no terminal to read from.
    ///   - keys: the keys of the terminal.
    ///   - note: receives the lines about keys that do nothing.
    init(
        _ signals: AsyncStream<Int32>?,
        keys: @escaping @Sendable () -> AsyncStream<TerminalKey> = { TerminalKey.stream() },
        note: @escaping @Sendable (String) -> Void
    ) {
        self.keys = keys
        self.signals = signals
        self.note = note
    }

    /// Opens something, and cancels the opening when the user presses q.
    ///
    /// - Returns: the result of `open`; `nil` if the user pressed q.
    /// - Throws: the errors of `open`; `CancellationError` after Ctrl-\.
    func during<Value: Sendable>(
        _ open: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard let signals else { return try await open() }
        self.enter()
        defer { self.mode.leave() }
        return try await withThrowingTaskGroup(of: Outcome<Value>.self) { group in
            defer { group.cancelAll() }
            group.addTask { .opened(try await open()) }
            group.addTask { await self.obeyKeys() ? .quit : .ended }
            group.addTask {
                try await self.obeyTerminal(signals)
                return .ended
            }
            while let outcome = try await group.next() {
                switch outcome {
                case .opened(let value): return value
                case .quit: return nil
                case .ended: continue
                }
            }
            throw CancellationError()
        }
    }

    /// - Returns: whether the user pressed q; `false` when the keys end.
    private func obeyKeys() async -> Bool {
        var machine = OpeningKeys()
        for await key in self.keys() {
            switch machine.pressed(key) {
            case .quit: return true
            case .note(let line): self.note(line)
            case nil: break
            }
        }
        return false
    }

    /// Restores the terminal's mode while the program is suspended; throws after Ctrl-\.
    private func obeyTerminal(_ signals: AsyncStream<Int32>) async throws {
        for await signal in signals {
            switch signal {
            case SIGTSTP:
                self.mode.leave()
                kill(getpid(), SIGSTOP)
            case SIGCONT: self.enter()
            default: throw CancellationError()
            }
        }
    }

    /// Sets the terminal's mode, except in the background: there the terminal belongs to the shell.
    private func enter() {
        guard TerminalMode.isInForeground else { return self.mode.forget() }
        self.mode.enter(hidesCursor: false)
    }
}

/// Decides what a key does while `weir play` opens its items.
struct OpeningKeys {
    enum Effect: Hashable, Sendable {
        case quit
        /// Show the user a line.
        case note(String)
    }

    /// The lines that the user has seen, so that a held key gives one line only.
    private var told: Set<String> = []

    /// Handles a key.
    ///
    /// - Returns: `nil` for a line that the user has seen.
    mutating func pressed(_ key: TerminalKey) -> Effect? {
        if key == .character("q") { return .quit }
        let name =
            switch key {
            case .character(" "): "The space bar"
            case .character(let character): "The key \(character)"
            default: "That key"
            }
        let line = "\(name) does nothing yet: no response has arrived. The key q quits."
        return self.told.insert(line).inserted ? .note(line) : nil
    }
}
