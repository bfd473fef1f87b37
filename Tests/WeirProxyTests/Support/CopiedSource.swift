// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// A resource whose bytes are made during the read, like decrypted bytes.
///
/// Its file has no descriptor, and each read returns as many bytes as it chooses.
struct CopiedSource: ByteSource {
    final class File: LeasedFile {
        let length: Int64
        /// The offset from which reads fail.
        let end: Int64
        /// The largest count of bytes in one read.
        let piece: Int

        init(length: Int64, end: Int64, piece: Int) {
            self.length = length
            self.end = end
            self.piece = piece
        }

        var descriptor: CInt? { nil }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            guard offset < self.end else { throw SourceError(.damaged, "A test's bytes end here.") }
            let count = min(buffer.count, self.piece, Int(min(self.length, self.end) - offset))
            let bytes = PatternBytes.bytes(in: offset..<(offset + Int64(count)))
            buffer.copyBytes(from: bytes)
            return count
        }
    }

    let file: File
    let description: ResourceDescription

    init(length: Int64, end: Int64 = .max, piece: Int = 40_000) {
        self.file = File(length: length, end: end, piece: piece)
        self.description = ResourceDescription(
            length: length,
            mediaType: MediaType(headerValue: "audio/mpeg"),
            generation: GenerationID(rawValue: 0xC0FFEE)
        )
    }

    func describe() async throws -> ResourceDescription { self.description }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        throw SourceError(.damaged, "A test's bytes end here.")
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard let part = range.resolved(inLength: self.file.length), !part.isEmpty else {
            return nil
        }
        return ResidentSlice(
            file: self.file,
            fileOffset: part.lowerBound,
            range: part,
            resource: self.description
        )
    }
}
