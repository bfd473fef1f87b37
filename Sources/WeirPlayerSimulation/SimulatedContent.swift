// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource
import WeirTestKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The bytes of one version of a resource of any length, cheap to make and to compare.
///
/// It reads one random tape again and again; the tape is a few bytes longer than 1 MiB, and its
/// length is prime. Two versions differ in every byte, so that one byte is enough to distinguish
/// them.
package struct SimulatedContent: Hashable, Sendable {
    /// The length of the resource in bytes.
    package let length: Int64
    /// The version: 0, or 1 after a change at the origin.
    package let version: Int

    /// Where on the tape the resource begins.
    private let start: Int64

    /// Describes content.
    ///
    /// - Parameters:
    ///   - length: the length of the resource in bytes, 0 or more.
    ///   - version: 0 or 1.
    ///   - start: distinguishes resources of the same length.
    package init(length: Int64, version: Int = 0, start: Int64 = 0) {
        self.length = max(0, length)
        self.version = version & 1
        self.start = start
    }

    /// Bytes from an offset on that are contiguous on the tape.
    ///
    /// There is at least one byte, except at the end of the resource and for a limit of 0.
    ///
    /// - Parameters:
    ///   - offset: an offset within the resource.
    ///   - limit: how many bytes are wanted.
    /// - Returns: a view of the tape.
    package func bytes(from offset: Int64, atMost limit: Int) -> ByteMemory {
        let position = self.position(of: offset)
        let left = max(0, self.length - offset)
        let count = min(Int(clamping: left), max(0, limit), Self.tapeLength - position)
        return Self.tapes[self.version][position..<(position + count)]
    }

    /// The bytes of a range, copied.
    package func bytes(in range: Range<Int64>) -> [UInt8] {
        var bytes: [UInt8] = []
        var offset = range.lowerBound
        while offset < min(range.upperBound, self.length) {
            let piece = self.bytes(from: offset, atMost: Int(clamping: range.upperBound - offset))
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            offset += Int64(piece.count)
        }
        return bytes
    }

    /// Whether a piece equals the resource's bytes at an offset; it may continue past the
    /// resource's end.
    package func matches(_ piece: ByteMemory, at offset: Int64) -> Bool {
        var done = 0
        while done < piece.count {
            let position = self.position(of: offset + Int64(done))
            let count = min(piece.count - done, Self.tapeLength - position)
            let part = piece[done..<(done + count)]
            let tape = Self.tapes[self.version][position..<(position + count)]
            let isEqual = part.withUnsafeBytes { mine in
                tape.withUnsafeBytes { mine.elementsEqualQuickly($0) }
            }
            guard isEqual else { return false }
            done += count
        }
        return true
    }

    private func position(of offset: Int64) -> Int {
        Int((offset + self.start) % Int64(Self.tapeLength))
    }

    /// The first prime above 2^20: no piece size divides it, so each pass over the tape gives other
    /// pieces.
    static let tapeLength = 1_048_583

    /// The tapes of both versions.
    private static let tapes: [ByteMemory] = {
        var generator = SeededGenerator(seed: 0x7A9E)
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.tapeLength) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            while count + 8 <= Self.tapeLength {
                raw.storeBytes(of: generator.next(), toByteOffset: count, as: UInt64.self)
                count += 8
            }
            while count < Self.tapeLength {
                raw[count] = UInt8(truncatingIfNeeded: generator.next())
                count += 1
            }
        }
        return [ByteMemory(bytes), ByteMemory(bytes.map { ~$0 })]
    }()
}

extension UnsafeRawBufferPointer {
    /// Whether two byte sequences are equal, at memory speed even in a debug build.
    func elementsEqualQuickly(_ other: UnsafeRawBufferPointer) -> Bool {
        guard self.count == other.count else { return false }
        guard let mine = self.baseAddress, let theirs = other.baseAddress else { return true }
        return memcmp(mine, theirs, self.count) == 0
    }
}

/// The medium of a simulated player's asset: the true facts, with which a judge compares.
package struct SimulatedMedium: Hashable, Sendable {
    /// Its bytes; a second version if the origin changes it.
    package var versions: [SimulatedContent]
    /// Its media type.
    package var mediaType: MediaType?
    /// Whether the origin announces its length from the beginning.
    package var announcesLength: Bool

    /// Describes a medium.
    package init(
        versions: [SimulatedContent],
        mediaType: MediaType? = .mpegAudio,
        announcesLength: Bool = true
    ) {
        self.versions = versions
        self.mediaType = mediaType
        self.announcesLength = announcesLength
    }

    /// A medium with one version.
    package init(length: Int64, mediaType: MediaType? = .mpegAudio, start: Int64 = 0) {
        self.init(
            versions: [SimulatedContent(length: length, start: start)],
            mediaType: mediaType
        )
    }

    /// The length of the first version in bytes.
    package var length: Int64 { self.versions.first?.length ?? 0 }
}
