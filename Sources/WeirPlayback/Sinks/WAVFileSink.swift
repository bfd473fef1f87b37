// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes sound into a WAV file, as fast as it is given.
///
/// The samples are integers of 16 bits, of 24 or 32 where the source has more (``PCMFormat/significantBits``). The
/// file keeps its first format: ``open(_:)`` returns that for every other, and the player converts. Its header
/// is correct when it is opened, after each second of sound, and after ``close()``; beyond 4 GiB it becomes an RF64
/// file.
///
/// A file that is there already is overwritten when the sink is opened, and a link replaced by a file, unless
/// `isReplacing` is false; anything but a file is not touched, and no link is followed. Writing is done at once in the
/// calling task: there is nothing to pause or to discard.
public final class WAVFileSink: AudioSink {
    private let path: String
    /// Whether an existing file is replaced: always, once this sink has made it.
    private let isReplacing: Mutex<Bool>
    private let file = Mutex<WAVFile?>(nil)

    /// A sink that has no file yet.
    ///
    /// - Parameters:
    ///   - file: where the file is to be; its folder exists.
    ///   - isReplacing: whether a file or a link that is there when the sink is opened first is replaced; otherwise
    ///     opening fails.
    public convenience init(_ file: URL, isReplacing: Bool = true) {
        self.init(path: file.path(percentEncoded: false), isReplacing: isReplacing)
    }

    package init(path: String, isReplacing: Bool = true) {
        self.path = path
        self.isReplacing = Mutex(isReplacing)
    }

    /// Never.
    public var isPaced: Bool { false }

    /// Zero.
    public var delay: Duration { .zero }

    /// Makes the file, or goes on with it.
    ///
    /// - Parameter format: how the sound is laid out.
    /// - Returns: the format of the file, which is that of the first call.
    /// - Throws: ``AudioError`` with `unavailable` or `badFormat`.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        try self.file.withLock { file throws(AudioError) in
            if file == nil {
                let isReplacing = self.isReplacing.withLock { $0 }
                file = try WAVFile.create(self.path, format: format, isReplacing: isReplacing)
                self.isReplacing.withLock { $0 = true }
            }
            return file?.format ?? format
        }
    }

    /// Writes frames.
    ///
    /// - Parameter buffer: of the format that ``open(_:)`` returned.
    /// - Throws: ``AudioError`` with `failed`: the disk is full or broken, the sink is not open. `CancellationError`.
    public func write(_ buffer: PCMBuffer) async throws {
        try Task.checkCancellation()
        try self.file.withLock { file throws(AudioError) in
            guard file != nil else {
                throw AudioError(.failed, "Sound was written to \(self.path), which is not open.")
            }
            try file?.append(buffer)
        }
    }

    /// Updates the header; all sound has been written already.
    ///
    /// - Throws: ``AudioError`` with `failed`; `CancellationError`.
    public func drain() async throws {
        try Task.checkCancellation()
        try self.file.withLock { file throws(AudioError) in try file?.updateHeader() }
    }

    /// Does nothing.
    public func pause() {}

    /// Does nothing.
    public func resume() {}

    /// Does nothing: what was written is in the file.
    public func discard() {}

    /// Updates the header, and closes the file.
    public func close() async {
        self.file.withLock { $0 = nil }
    }
}
