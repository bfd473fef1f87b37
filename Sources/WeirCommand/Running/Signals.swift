// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirSignals
import Dispatch
import Foundation
import WeirSource

/// Signals, mostly those that ask the program to end, for a command that waits for them several times, one after the other.
///
/// They are watched once, from the beginning to the end of the program.
final class Signals: Sendable {
    private let broadcast = Broadcast<Int32>()

    /// Watches from now on; these signals do no longer what they do by themselves.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        let signals = Self.watch(numbers)
        // Owned by nothing: ends with the program, as the watching does.
        Task { [broadcast] in
            for await signal in signals { broadcast.tell(signal) }
        }
    }

    func stream() -> AsyncStream<Int32> { self.broadcast.stream() }

    /// Runs an operation and cancels it when the program is asked to end.
    ///
    /// - Throws: what the operation throws; `CancellationError`.
    func interruptible<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = self.stream()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                for await _ in signals { throw CancellationError() }
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    /// Whether the program was started to outlive its terminal, as by `nohup`.
    static let outlivesTerminal: Bool = {
        let former = signal(SIGHUP, SIG_IGN)
        // Both have the size of an address, and no function has the number that stands for "ignored".
        let isIgnored =
            unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if !isIgnored { signal(SIGHUP, former) }
        return isIgnored
    }()

    /// Turns signals into values: from here on they no longer end the process by themselves.
    static func watch(_ signals: [Int32]) -> AsyncStream<Int32> {
        let signals = signals.filter { $0 != SIGHUP || !Self.outlivesTerminal }
        let all = Self.told.broadcast.stream()
        // Without the pipe a signal keeps its default action.
        for number in signals { _ = weir_watch_signal(number) }
        return AsyncStream {
            for await number in all where signals.contains(number) { return number }
            return nil
        }
    }

    /// Every signal that is watched, for all that wait for one; and what reads the pipe, to the end of the program.
    ///
    /// Dispatch's own source of signals loses one now and then on Linux, where the thread that gets it does not block it.
    /// It is set once and only read afterwards.
    private nonisolated(unsafe) static let told:
        (broadcast: Broadcast<Int32>, source: (any DispatchSourceRead)?) = {
            let broadcast = Broadcast<Int32>()
            let pipe = weir_signal_pipe()
            guard pipe >= 0 else { return (broadcast, nil) }
            let source = DispatchSource.makeReadSource(fileDescriptor: pipe, queue: .global())
            source.setEventHandler {
                var number: UInt8 = 0
                while read(pipe, &number, 1) == 1 { broadcast.tell(Int32(number)) }
            }
            source.resume()
            return (broadcast, source)
        }()
}
