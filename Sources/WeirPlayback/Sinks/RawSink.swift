// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes bare samples to a descriptor, as fast as it takes them: to a pipe, for another program.
///
/// They are interleaved little-endian integers, as in the data of ``WAVFileSink``: 16 bits, or 24
/// or 32 when the source has more. The first format stays until ``close()``, since the bytes have
/// no header: ``open(_:)`` returns it, and the player converts. The sink writes whole buffers, even
/// when the writing task is cancelled meanwhile, so the bytes never stop within a frame.
///
/// The write blocks on a queue of the sink's own, not in the calling task.
public final class RawSink: AudioSink {
    private struct State {
        var format: PCMFormat?
        /// The write that waits for the reader; at any time, at most one write was not given up.
        var write: RawWrite?
    }

    private let file: OutputFile
    private let queue = DispatchQueue(label: "RawSink")
    private let state = Mutex(State())

    /// A sink.
    ///
    /// - Parameter descriptor: open for writing as long as the sink is used; the sink does not
    ///   close it.
    public init(descriptor: CInt) {
        self.file = OutputFile(descriptor: descriptor)
    }

    /// A sink that writes to the standard output.
    public static func standardOutput() -> RawSink { RawSink(descriptor: 1) }

    /// Always false: the reader may set a pace, which is unknown.
    public var isPaced: Bool { false }

    /// Zero.
    public var delay: Duration { .zero }

    /// Takes any format at first, and keeps it from then on.
    ///
    /// - Parameter format: the layout of the sound.
    /// - Returns: the format of the first call.
    /// - Throws: nothing.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        self.state.withLock { state in
            let format = state.format ?? format
            state.format = format
            return format
        }
    }

    /// Writes frames, and returns when the descriptor has taken all of them.
    ///
    /// - Parameter buffer: frames in the format that ``open(_:)`` returned.
    /// - Throws: ``AudioError`` with `failed`, when the reader of the pipe has gone.
    ///   `CancellationError`, at once, when the task is cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        let bits = self.state.withLock { $0.format?.significantBits }
        guard let bits else {
            throw AudioError(.failed, "Sound was written to a descriptor that is not open.")
        }
        let bytes = PCMIntegers(significantBits: bits).bytes(of: buffer.samples)
        guard !bytes.isEmpty else { return }
        let write = RawWrite(bytes, to: self.file)
        self.state.withLock { $0.write = write }
        defer { self.state.withLock { if $0.write === write { $0.write = nil } } }
        try await write.run(on: self.queue)
    }

    /// Returns at once: the descriptor has taken all written sound.
    public func drain() async throws { try Task.checkCancellation() }

    /// Does nothing.
    public func pause() {}

    /// Does nothing.
    public func resume() {}

    /// Lets a waiting write return; the bytes of a write that has begun are still written when
    /// there is room.
    public func discard() {
        self.state.withLock { $0.write }?.giveUp(throwing: nil)
    }

    /// Forgets the format; the descriptor stays open.
    public func close() async {
        self.discard()
        self.state.withLock { $0.format = nil }
    }
}

/// One blocking write; a task waits until it is done or given up.
final class RawWrite: Sendable {
    private let bytes: [UInt8]
    private let file: OutputFile
    /// The result of the write; `nil` before its end.
    private let result = Mutex<Result<Void, any Error>?>(nil)
    private let ended = Signal()

    init(_ bytes: [UInt8], to file: OutputFile) {
        self.bytes = bytes
        self.file = file
    }

    private var isOver: Bool { self.result.withLock { $0 != nil } }

    /// Writes on a queue, and returns when the write is done or given up.
    ///
    /// - Throws: ``AudioError``; `CancellationError`, at once, when the task is cancelled.
    func run(on queue: DispatchQueue) async throws {
        try await withTaskCancellationHandler {
            if !self.isOver { queue.async { self.perform() } }
            try await self.ended.wait(after: 0)
        } onCancel: {
            self.giveUp(throwing: CancellationError())
        }
        try self.result.withLock { $0 }?.get()
    }

    /// Lets the task continue; a write that has not begun is not made.
    func giveUp(throwing error: (any Error)?) {
        self.end(error.map { .failure($0) } ?? .success(()))
    }

    private func perform() {
        if self.isOver { return }
        do throws(OutputFile.Failure) {
            try Self.withoutPipeSignal(self.file.descriptor) { () throws(OutputFile.Failure) in
                try self.file.write(self.bytes)
            }
            self.end(.success(()))
        } catch {
            let message =
                error.code == EPIPE
                ? "The program that read the sound has ended; start both again."
                : "Sound could not be written to the output: \(error.description)."
            self.end(.failure(AudioError(.failed, message)))
        }
    }

    /// Ends the write; only the first end counts.
    private func end(_ result: Result<Void, any Error>) {
        self.result.withLock { if $0 == nil { $0 = result } }
        self.ended.raise()
    }

    /// Writes without SIGPIPE, which ends a program whose reader has gone: the error is enough.
    private static func withoutPipeSignal(
        _ descriptor: CInt,
        _ body: () throws(OutputFile.Failure) -> Void
    ) throws(OutputFile.Failure) {
        #if canImport(Darwin)
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        try body()
        #else
        var pipe = sigset_t()
        var before = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        do throws(OutputFile.Failure) {
            try body()
        } catch {
            if error.code == EPIPE, sigismember(&before, SIGPIPE) == 0 {
                // Takes the pending signal, which belongs to this thread, before the thread can
                // handle it.
                var now = timespec()
                _ = sigtimedwait(&pipe, nil, &now)
            }
            throw error
        }
        #endif
    }
}
