// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("Keys before anything plays")
struct OpeningTerminalTests {
    @Test("q quits, and each other key says once why nothing happens")
    func keys() {
        var machine = OpeningKeys()
        let rest = "does nothing yet: no response has arrived. The key q quits."
        for (key, name) in [
            (.character(" "), "The space bar"), (.character("n"), "The key n"),
            (.character("?"), "The key ?"), (.right, "That key"),
        ] as [(TerminalKey, String)] {
            #expect(machine.pressed(key) == .note("\(name) \(rest)"))
            #expect(machine.pressed(key) == nil)
        }
        #expect(machine.pressed(.left) == nil)
        #expect(machine.pressed(.character("q")) == .quit)
    }

    /// A terminal whose user presses these keys; with `isOpen`, more keys may follow.
    private static func terminal(
        _ keys: [TerminalKey],
        isOpen: Bool = true,
        signals: [Int32] = [],
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) -> OpeningTerminal {
        OpeningTerminal(Self.stream(signals, true), keys: { Self.stream(keys, isOpen) }, note: note)
    }

    private static func stream<Element: Sendable>(_ elements: [Element], _ isOpen: Bool)
        -> AsyncStream<
            Element
        >
    {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        for element in elements { continuation.yield(element) }
        if !isOpen { continuation.finish() }
        return stream
    }

    /// Waits until its cancellation, as a command does while a server is silent.
    @Sendable private static func silence() async throws -> Int {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }

    @Test("q ends the wait for a silent server, after a note for each earlier key")
    func quits() async throws {
        let lines = Mutex<[String]>([])
        let terminal = Self.terminal([.left, .character("q")]) { line in
            lines.withLock { $0.append(line) }
        }
        #expect(try await terminal.during(Self.silence) == nil)
        #expect(lines.withLock { $0 }.count == 1)
    }

    @Test("Ctrl-\\ ends the wait as a signal does")
    func signalled() async throws {
        await #expect(throws: CancellationError.self) {
            _ = try await Self.terminal([], signals: [SIGQUIT]).during(Self.silence)
        }
    }

    @Test(
        "the opened value is returned: before the last key, after it, and without a terminal"
    )
    func opened() async throws {
        for isOpen in [true, false] {
            #expect(try await Self.terminal([], isOpen: isOpen).during { 7 } == 7)
        }
        let unused = OpeningTerminal(
            nil,
            keys: { Self.stream([.character("q")], true) },
            note: { _ in }
        )
        #expect(try await unused.during { 7 } == 7)
    }
}
