// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// A file of this machine; its chunks are slices of the file, which are read when they are sent.
///
/// Its version consists of inode, length, and the times of the last change of content and inode, in
/// nanoseconds. The source compares the version before each chunk and after each read from the
/// file. A reader gets `changed` if the file is written meanwhile, and never bytes of two versions.
/// Two kinds of writes cannot be detected. One is a write within the same tick of the file system's
/// clock in which the file was opened (some milliseconds on most systems). The other is a write
/// through a memory mapping of the file: the system records the time of such a write later.
package final class FileSource: ByteSource {
    private static let chunkSize: Int64 = 1 << 20

    private let path: LocalPath
    private let display: String
    private let opened = Mutex<OpenFile?>(nil)

    /// Creates a source for a file without opening it.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - display: the name of the file in messages; `nil` for the path.
    package convenience init(path: String, display: String? = nil) {
        self.init(path: LocalPath(path), display: display ?? path)
    }

    /// Creates a source for a file whose path need not be valid UTF-8.
    package init(path: LocalPath, display: String) {
        self.path = path
        self.display = display
    }

    /// Describes the file.
    package func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        return self.description(of: try self.file())
    }

    /// Starts to read.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        try Task.checkCancellation()
        guard (demand.range.knownLowerBound ?? 0) >= 0 else {
            throw SourceError(
                .invalidRequest,
                "The range \(demand.range) starts before the first byte; request a range that starts at 0 or later."
            )
        }
        let file = try self.file()
        let description = self.description(of: file)
        if let version = demand.version, !version.agrees(with: description) { throw file.changed }
        guard let range = demand.range.resolved(inLength: file.status.length) else {
            throw SourceError.pastTheEnd(demand.range, length: file.status.length)
        }
        guard !range.isEmpty else { return .empty(description, at: range.lowerBound) }
        return ByteReading(
            resource: description,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: Producer(self, file, range)
        )
    }

    /// The range of the file, if the file is open and unchanged.
    package func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard let file = self.opened.withLock({ $0 }), file.isUnchanged,
            (try? FileStatusReading.status(of: self.path, display: self.display)) == file.status,
            let wanted = range.resolved(inLength: file.status.length), !wanted.isEmpty
        else { return nil }
        return self.slice(file, wanted)
    }

    /// Opens the file, if it exists.
    package func openHeld() async { _ = try? self.file() }

    /// The whole file once it is open; until then nothing.
    package var availability: Availability {
        guard let file = self.opened.withLock({ $0 }) else {
            return Availability(held: RangeSet(), length: nil)
        }
        let length = file.status.length
        return Availability(held: RangeSet(length > 0 ? [0..<length] : []), length: length)
    }

    /// The file that is now at the path.
    private func file() throws -> OpenFile {
        let status = try FileStatusReading.status(of: self.path, display: self.display)
        if let file = self.opened.withLock({ $0 }), file.status == status, file.isUnchanged {
            return file
        }
        let file = try OpenFile(path: self.path, display: self.display)
        // Some file systems allow files longer than the longest resource.
        guard ResourceLength.checked(file.status.length) != nil else {
            throw SourceError(
                .badAnswer,
                "\(self.display) cannot be read, because its length of \(file.status.length) bytes exceeds the limit of"
                    + " Weir; check the file."
            )
        }
        self.opened.withLock { $0 = file }
        return file
    }

    private func description(of file: OpenFile) -> ResourceDescription {
        let name = String(decoding: self.path.lastName, as: UTF8.self)
        return ResourceDescription(
            length: file.status.length,
            validator: .revision(file.status.version),
            name: name,
            acceptsRanges: true
        )
    }

    private func slice(_ file: OpenFile, _ range: Range<Int64>) -> ResidentSlice {
        ResidentSlice(
            file: file,
            fileOffset: range.lowerBound,
            range: range,
            resource: self.description(of: file)
        )
    }

    private final class Producer: ChunkProducer {
        private let source: FileSource
        private let file: OpenFile
        private let rest: Mutex<Range<Int64>>
        private let hasGone = Mutex(false)

        init(_ source: FileSource, _ file: OpenFile, _ range: Range<Int64>) {
            self.source = source
            self.file = file
            self.rest = Mutex(range)
        }

        func next() async throws -> ByteChunk? {
            try Task.checkCancellation()
            if self.hasGone.withLock({ $0 }) { throw CancellationError() }
            guard self.file.isUnchanged else { throw self.file.changed }
            return self.rest.withLock { rest -> ByteChunk? in
                guard !rest.isEmpty else { return nil }
                let end = min(rest.upperBound, rest.lowerBound + FileSource.chunkSize)
                let chunk = ByteChunk(self.source.slice(self.file, rest.lowerBound..<end))
                rest = end..<rest.upperBound
                return chunk
            }
        }

        func cancel() {
            self.hasGone.withLock { $0 = true }
        }
    }
}
