// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
    ///   - path: where the file is to be; its folder exists.
    ///   - isReplacing: whether a file or a link that is there when the sink is opened first is replaced; otherwise
    ///     opening fails.
    public init(path: String, isReplacing: Bool = true) {
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

/// A WAV file that grows, with a header that is at most a second behind; it is whole when this value ends.
struct WAVFile: ~Copyable, Sendable {
    /// How the sound in it is laid out.
    var format: PCMFormat { self.header.format }

    private let path: String
    private let file: OutputFile
    private let header: WAVHeader
    private var dataCount: Int64 = 0
    /// How many bytes of sound the header in the file counts.
    private var writtenCount: Int64 = 0
    /// Kept from one call to the next, not to be made anew for each.
    private var bytes: [UInt8] = []

    private init(path: String, file: OutputFile, header: WAVHeader) {
        self.path = path
        self.file = file
        self.header = header
    }

    /// Makes an empty file.
    ///
    /// - Parameters:
    ///   - path: where it is to be.
    ///   - format: how the sound in it is laid out.
    ///   - isReplacing: whether a file or a link that is there is replaced.
    /// - Returns: the file, which has a header and no sound.
    /// - Throws: ``AudioError`` with `unavailable` or `badFormat`.
    static func create(
        _ path: String,
        format: PCMFormat,
        isReplacing: Bool
    ) throws(AudioError) -> WAVFile {
        guard (1...Int(UInt16.max) / 4).contains(format.channelCount),
            (1...Int(Int32.max)).contains(format.sampleRate)
        else {
            throw AudioError(
                .badFormat,
                "A WAV file cannot hold \(format.channelCount) channels at \(format.sampleRate) Hz."
            )
        }
        let file: OutputFile?
        do throws(OutputFile.Failure) {
            file = try OutputFile.create(path, isReplacing: isReplacing)
        } catch {
            throw AudioError(
                .unavailable,
                "The file \(path) could not be made: \(error.description). Choose another place."
            )
        }
        guard let file else {
            throw AudioError(
                .unavailable,
                "Sound was to go to \(path), which is no file and is left as it is; choose another name."
            )
        }
        var new = WAVFile(path: path, file: file, header: WAVHeader(format: format))
        try new.writeHeader()
        return new
    }

    deinit {
        if self.writtenCount != self.dataCount || self.dataCount % 2 == 1 {
            let header = self.header.bytes(dataCount: self.dataCount)
            if self.dataCount % 2 == 1 {
                try? self.file.write([0], count: 1, at: Int64(header.count) + self.dataCount)
            }
            try? self.file.write(header, count: header.count, at: 0)
        }
        self.file.close()
    }

    /// Appends sound.
    mutating func append(_ buffer: PCMBuffer) throws(AudioError) {
        let count = buffer.samples.count * self.header.integers.bytesPerSample
        if self.bytes.count < count { self.bytes = [UInt8](repeating: 0, count: count) }
        let integers = self.header.integers
        self.bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            buffer.samples.withUnsafeBufferPointer { integers.write($0, to: base) }
        }
        let offset = Int64(self.header.count) + self.dataCount
        do throws(OutputFile.Failure) {
            try self.file.write(self.bytes, count: count, at: offset)
        } catch {
            throw self.failure(error)
        }
        self.dataCount += Int64(count)
        let second = Int64(self.header.frameSize) * Int64(self.format.sampleRate)
        if self.dataCount - self.writtenCount >= second { try self.writeHeader() }
    }

    /// Makes the header count all the sound.
    mutating func updateHeader() throws(AudioError) {
        if self.writtenCount != self.dataCount { try self.writeHeader() }
    }

    private mutating func writeHeader() throws(AudioError) {
        do throws(OutputFile.Failure) {
            let header = self.header.bytes(dataCount: self.dataCount)
            try self.file.write(header, count: header.count, at: 0)
        } catch {
            throw self.failure(error)
        }
        self.writtenCount = self.dataCount
    }

    private func failure(_ error: OutputFile.Failure) -> AudioError {
        AudioError(
            .failed,
            "Sound could not be written to \(self.path): \(error.description). Make room, or choose another place."
        )
    }
}
