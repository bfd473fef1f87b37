// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import WeirSource

/// Signals, mostly those that ask the program to end, for a command that waits for them several times, one after the other.
///
/// They are watched once, from the beginning to the end of the program: a signal that is watched anew after it was let
/// go of may be lost.
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
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let signals = signals.filter { $0 != SIGHUP || !Self.outlivesTerminal }
        // Touched here and, once, when the stream ends; a source may be cancelled from any thread.
        nonisolated(unsafe) let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
        continuation.onTermination = { _ in
            for source in sources { source.cancel() }
        }
        return stream
    }
}
