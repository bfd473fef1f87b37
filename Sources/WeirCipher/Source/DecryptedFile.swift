// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// Shows a leased file of stored bytes as a file of plain bytes; offsets count plain bytes.
final class DecryptedFile: LeasedFile {
    private let slice: ResidentSlice
    private let opened: OpenedResource

    init(_ slice: ResidentSlice, _ opened: OpenedResource) {
        self.slice = slice
        self.opened = opened
    }

    var descriptor: CInt? { nil }

    func doubt() { self.slice.file.doubt() }

    /// Decrypts a run, or the wanted part of it.
    ///
    /// - Throws: `SourceError` with `cacheFailed` or `damaged`; the caller then has no byte of this
    ///   run.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        let layout = self.opened.layout
        guard let length = layout.plainLength, (0..<length).contains(offset), !buffer.isEmpty else {
            return 0
        }
        let end = offset + min(length - offset, Int64(buffer.count))
        if offset < layout.clear {
            let count = Int(min(end, layout.clear) - offset)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            return try self.slice.file.read(
                into: target,
                at: self.fileOffset(of: layout.prefix + offset)
            )
        }
        let unit = (offset - layout.clear) / layout.plainUnit
        let most = max(1, Int64(self.opened.cipher.largestRun) / layout.storedUnit)
        let wanted = offset..<min(end, layout.plainStart(ofUnit: unit + most))
        let stored = layout.stored(for: wanted)
        let start = layout.start(ofUnit: unit)
        let count = Int(stored.upperBound - start)
        let skipped = Int(offset - layout.plainStart(ofUnit: unit))
        if skipped == 0, count <= buffer.count, layout.plainUnit == layout.storedUnit {
            // The stored bytes fit into the buffer for the plain ones.
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            try self.slice.clamped(to: start..<stored.upperBound).load(into: target)
            let before = try self.slice.clamped(to: stored.lowerBound..<start).load()
            return try before.withUnsafeBytes { before in
                let plain = try self.decrypted(UnsafeRawBufferPointer(target), unit, before, wanted)
                return Self.copy(plain, 0, wanted, into: buffer)
            }
        }
        return try self.slice.clamped(to: stored).load().withUnsafeBytes { bytes in
            let behind = Int(start - stored.lowerBound)
            let plain = try self.decrypted(
                UnsafeRawBufferPointer(rebasing: bytes[behind...]),
                unit,
                UnsafeRawBufferPointer(rebasing: bytes[..<behind]),
                wanted
            )
            return Self.copy(plain, skipped, wanted, into: buffer)
        }
    }

    private func decrypted(
        _ units: UnsafeRawBufferPointer,
        _ first: Int64,
        _ before: UnsafeRawBufferPointer,
        _ wanted: Range<Int64>
    ) throws(SourceError) -> Data {
        let end = self.opened.layout.start(ofUnit: first) + Int64(units.count)
        do throws(CipherError) {
            return try self.opened.cipher.decrypt(
                units,
                from: first,
                after: before,
                isLast: end == self.opened.layout.storedLength
            )
        } catch {
            var failure = SourceError(error)
            failure.range = wanted
            throw failure
        }
    }

    private static func copy(
        _ plain: Data,
        _ skipped: Int,
        _ wanted: Range<Int64>,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = min(plain.count - skipped, Int(wanted.upperBound - wanted.lowerBound))
        guard count > 0 else { return 0 }
        plain.withUnsafeBytes { plain in
            let part = UnsafeRawBufferPointer(rebasing: plain[skipped..<(skipped + count)])
            buffer.copyMemory(from: part)
        }
        return count
    }

    private func fileOffset(of stored: Int64) -> Int64 {
        self.slice.fileOffset + (stored - self.slice.range.lowerBound)
    }
}
