// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A large resource in a sparse file: all bytes are zero, and all are held.
struct SparseSource: ByteSource {
    final class File: LeasedFile {
        private let handle: CInt
        private let doubts = Mutex(0)
        var descriptor: CInt? { self.handle }

        init(length: Int64) {
            var template = Array("/tmp/weir-sparse-XXXXXX".utf8CString)
            self.handle = mkstemp(&template)
            unlink(template)
            precondition(
                ftruncate(self.handle, off_t(length)) == 0,
                "no room for a test's file"
            )
        }

        deinit {
            close(self.handle)
        }

        /// How often a reader reported that the file has changed.
        var doubtCount: Int { self.doubts.withLock { $0 } }

        func doubt() { self.doubts.withLock { $0 += 1 } }

        /// Cuts the file, so that it ends earlier than the source says.
        func cut(to length: Int64) {
            precondition(ftruncate(self.handle, off_t(length)) == 0, "a test's file stays")
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            max(0, pread(self.handle, buffer.baseAddress, buffer.count, off_t(offset)))
        }
    }

    let file: File
    let description: ResourceDescription

    init(length: Int64) {
        self.file = File(length: length)
        self.description = ResourceDescription(
            length: length,
            mediaType: MediaType(headerValue: "audio/mpeg"),
            validator: .entityTag("\"sparse-\(length)\""),
            generation: GenerationID(rawValue: 0xC0FFEE)
        )
    }

    func describe() async throws -> ResourceDescription { self.description }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        // All bytes are held, so the end is known.
        if let length = self.description.length {
            guard let part = demand.range.resolved(inLength: length) else {
                throw SourceError.pastTheEnd(demand.range, length: length)
            }
            if part.isEmpty { return .empty(self.description, at: length) }
        }
        throw SourceError(.offline, "Only what is held can be read.")
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard let length = self.description.length, let part = range.resolved(inLength: length),
            !part.isEmpty
        else { return nil }
        return ResidentSlice(
            file: self.file,
            fileOffset: part.lowerBound,
            range: part,
            resource: self.description
        )
    }
}
