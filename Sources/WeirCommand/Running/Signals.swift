// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirSignals
import Dispatch
import Foundation
import WeirSource

/// Signals, mostly those that end the program, for a command that waits for them several times.
///
/// All values share one watch of each signal, which lasts until the program ends.
final class Signals: Sendable {
    private let broadcast = Broadcast<Int32>()

    /// Watches the signals from now on; their default actions no longer apply.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) {
        let signals = Self.watch(numbers)
        // No value owns this task; it ends with the program.
        Task { [broadcast] in
            for await signal in signals { broadcast.tell(signal) }
        }
    }

    func stream() -> AsyncStream<Int32> { self.broadcast.stream() }

    /// Runs an operation, and cancels it when a signal arrives.
    ///
    /// - Throws: the errors of the operation; `CancellationError`.
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
        // Both values have the size of an address, and no function has the number of SIG_IGN.
        let isIgnored =
            unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if !isIgnored { signal(SIGHUP, former) }
        return isIgnored
    }()

    /// A stream of signals; from now on they do not end the process.
    static func watch(_ signals: [Int32]) -> AsyncStream<Int32> {
        let signals = signals.filter { $0 != SIGHUP || !Self.outlivesTerminal }
        let all = Self.told.broadcast.stream()
        // Without the pipe, a signal keeps its default action.
        for number in signals { _ = weir_watch_signal(number) }
        return AsyncStream {
            for await number in all where signals.contains(number) { return number }
            return nil
        }
    }

    /// A broadcast of all watched signals, and the source that reads their pipe until the program's
    /// end.
    ///
    /// On Linux, Dispatch's own signal source sometimes loses a signal if the receiving thread does
    /// not block it. The value is set once and only read afterwards.
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
