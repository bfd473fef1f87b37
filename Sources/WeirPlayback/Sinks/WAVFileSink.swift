// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes sound into a WAV file, as fast as the player delivers it.
///
/// The samples are integers of 16 bits, or of 24 or 32 when the source has more
/// (``PCMFormat/significantBits``). The file keeps its first format: ``open(_:)`` returns it for
/// every other format, and the player converts. The header is correct after opening, after each
/// second of sound, and after ``close()``. Beyond 4 GiB the file becomes an RF64 file.
///
/// When the sink is opened, it replaces an existing file or link, unless `isReplacing` is false. It
/// changes nothing other than a file or a link, and follows no link. It writes at once in the
/// calling task: there is nothing to pause or to discard.
public final class WAVFileSink: AudioSink {
    private let path: String
    /// Whether an existing file is replaced: always, once this sink has created it.
    private let isReplacing: Mutex<Bool>
    private let file = Mutex<WAVFile?>(nil)

    /// A sink that has no file yet.
    ///
    /// - Parameters:
    ///   - file: the URL of the file; its folder must exist.
    ///   - isReplacing: whether an existing file or link is replaced when the sink is first opened;
    ///     otherwise opening fails.
    public convenience init(_ file: URL, isReplacing: Bool = true) {
        self.init(path: file.path(percentEncoded: false), isReplacing: isReplacing)
    }

    package init(path: String, isReplacing: Bool = true) {
        self.path = path
        self.isReplacing = Mutex(isReplacing)
    }

    /// Always false.
    public var isPaced: Bool { false }

    /// Zero.
    public var delay: Duration { .zero }

    /// Creates the file, or continues it.
    ///
    /// - Parameter format: the layout of the sound.
    /// - Returns: the format of the file, which is the format of the first call.
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
    /// - Parameter buffer: frames in the format that ``open(_:)`` returned.
    /// - Throws: ``AudioError`` with `failed`: the disk is full or broken, or the sink is not open.
    ///   `CancellationError`.
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

    /// Does nothing: the written sound is in the file.
    public func discard() {}

    /// Updates the header, and closes the file.
    public func close() async {
        self.file.withLock { $0 = nil }
    }
}
