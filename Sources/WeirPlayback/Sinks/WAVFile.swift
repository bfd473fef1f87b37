// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A growing WAV file, with a header that is at most a second behind; it is complete when the
/// lifetime of this value ends.
struct WAVFile: ~Copyable, Sendable {
    /// The layout of its sound.
    var format: PCMFormat { self.header.format }

    private let path: String
    private let file: OutputFile
    private let header: WAVHeader
    private var dataCount: Int64 = 0
    /// How many bytes of sound the header in the file counts.
    private var writtenCount: Int64 = 0
    /// Reused from one call to the next.
    private var bytes: [UInt8] = []

    private init(path: String, file: OutputFile, header: WAVHeader) {
        self.path = path
        self.file = file
        self.header = header
    }

    /// Creates an empty file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - format: the layout of its sound.
    ///   - isReplacing: whether an existing file or link is replaced.
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
                "Weir does not write sound to \(path), because it is not a file; choose another name."
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

    /// Updates the header so that it counts all the sound.
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
