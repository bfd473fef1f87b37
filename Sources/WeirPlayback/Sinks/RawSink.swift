// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Writes bare samples to a descriptor, as fast as it takes them: to a pipe, for another program.
///
/// Interleaved little-endian integers, as in the data of ``WAVFileSink``: of 16 bits, of 24 or 32 where the source has
/// more. The first format stays until ``close()``, since the bytes cannot tell of another: ``open(_:)`` returns it, and
/// the player converts. Whole buffers are written, also when the task that writes is cancelled meanwhile: the bytes
/// never stop within a frame.
///
/// The write blocks on a queue of the sink's own, not in the task that asks.
public final class RawSink: AudioSink {
    private struct State {
        var format: PCMFormat?
        /// The write that the reader keeps waiting; there is at most one that is not given up.
        var write: RawWrite?
    }

    private let file: OutputFile
    private let queue = DispatchQueue(label: "RawSink")
    private let state = Mutex(State())

    /// A sink.
    ///
    /// - Parameter descriptor: open for writing for as long as the sink is used; it is not closed here.
    public init(descriptor: CInt) {
        self.file = OutputFile(descriptor: descriptor)
    }

    /// A sink that writes to the standard output.
    public static func standardOutput() -> RawSink { RawSink(descriptor: 1) }

    /// Never: the reader may set a pace, and nobody knows which.
    public var isPaced: Bool { false }

    /// Zero.
    public var delay: Duration { .zero }

    /// Takes any format at first, and then that.
    ///
    /// - Parameter format: how the sound is laid out.
    /// - Returns: the format of the first call.
    /// - Throws: nothing.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        self.state.withLock { state in
            let format = state.format ?? format
            state.format = format
            return format
        }
    }

    /// Writes frames, and returns when all of them have been taken.
    ///
    /// - Parameter buffer: of the format that ``open(_:)`` returned.
    /// - Throws: ``AudioError`` with `failed`: the reader of the pipe has gone. `CancellationError`, at once, when the
    ///   task is cancelled.
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

    /// Returns at once: what was written has been taken.
    public func drain() async throws { try Task.checkCancellation() }

    /// Does nothing.
    public func pause() {}

    /// Does nothing.
    public func resume() {}

    /// Lets a waiting write return; its bytes are written nevertheless when there is room.
    public func discard() {
        self.state.withLock { $0.write }?.giveUp(throwing: nil)
    }

    /// Forgets the format; the descriptor stays open.
    public func close() async {
        self.discard()
        self.state.withLock { $0.format = nil }
    }
}
