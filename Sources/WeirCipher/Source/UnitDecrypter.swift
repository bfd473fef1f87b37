// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WeirSource

/// Decrypts whole units of a resource; only this part differs between formats.
public protocol UnitCipher: Sendable {
    /// How many stored bytes to decrypt at once: a multiple of a unit, and bounded.
    var largestRun: Int { get }

    /// Decrypts consecutive units.
    ///
    /// - Parameters:
    ///   - stored: the units, not empty; the last unit of the file may be shorter.
    ///   - first: the number of the first unit.
    ///   - before: the stored bytes before it, as many as the layout's `lookBehind`; none for the
    ///     first unit of the file.
    ///   - isLast: whether the file ends with these units.
    /// - Returns: the plain bytes, with the padding of the last unit.
    /// - Throws: ``CipherError`` with `damaged` if the format detects damage.
    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data

    /// How many bytes of the last decrypted unit are plain bytes, without the padding.
    ///
    /// - Throws: ``CipherError`` if the decrypted bytes cannot be the end of a file.
    func plainCount(ofLast plain: Data) throws(CipherError) -> Int

    /// Whether a file may have no unit at all.
    var allowsNoUnit: Bool { get }
}

extension UnitCipher {
    /// The number of all bytes: there is no padding.
    public func plainCount(ofLast plain: Data) throws(CipherError) -> Int { plain.count }
    /// `true`.
    public var allowsNoUnit: Bool { true }
}

/// Converts the stored bytes of a span into plain chunks as they arrive.
///
/// It gets pieces of any size, starting with the span's first byte, and uses as many bytes of each
/// piece as it can. It keeps the bytes that do not fill a unit. A piece that starts at the start of
/// a unit is decrypted without a copy.
struct UnitDecrypter {
    private let layout: StoredLayout
    private let cipher: any UnitCipher
    /// The wanted plain bytes.
    private let wanted: Range<Int64>
    /// The position of the next stored byte.
    private var position: Int64
    /// The stored bytes before the next unit.
    private var before: [UInt8] = []
    /// Stored bytes of units that are not yet complete.
    private var held: [UInt8] = []

    /// The end of the plain file, once the stored bytes have shown it; `nil` if the length was
    /// known.
    private(set) var plainEnd: Int64?
    /// The end of the requested stored bytes.
    private let end: Int64

    /// Creates a decrypter for a span.
    ///
    /// - Parameters:
    ///   - opened: the resource.
    ///   - wanted: the plain bytes; to `Int64.max` if the end is unknown.
    ///   - end: the end of the requested stored bytes, from ``StoredLayout/read(for:)``.
    init(_ opened: OpenedResource, wanted: Range<Int64>, end: Int64) {
        self.layout = opened.layout
        self.cipher = opened.cipher
        self.wanted = wanted
        self.end = end
        self.position = opened.layout.storedStart(for: wanted.lowerBound)
    }

    /// The preferred size of the next piece in bytes.
    var preferredCount: Int {
        if self.position < self.layout.firstUnit { return self.cipher.largestRun }
        return self.missingBefore + max(1, self.cipher.largestRun - self.held.count)
    }

    /// Decrypts stored bytes, or holds them until their unit is complete.
    ///
    /// - Parameter piece: the next bytes, not empty.
    /// - Returns: how many bytes were taken, and the resulting chunk, if any.
    /// - Throws: ``CipherError``.
    mutating func take(_ piece: ByteMemory) throws(CipherError) -> (count: Int, chunk: ByteChunk?) {
        if self.position < self.layout.firstUnit { return self.pass(piece) }
        if self.missingBefore > 0 {
            let count = min(self.missingBefore, piece.count)
            piece.withUnsafeBytes { self.before += $0[..<count] }
            self.position += Int64(count)
            return (count, nil)
        }
        let ready = self.readyCount(with: piece.count)
        let start = self.position - Int64(self.held.count)
        guard ready > 0 else {
            piece.withUnsafeBytes { self.held += $0 }
            self.position += Int64(piece.count)
            return (piece.count, nil)
        }
        let isLast = start + Int64(ready) == self.layout.storedLength
        let count = ready - self.held.count
        let chunk: ByteChunk?
        if self.held.isEmpty {
            chunk = try piece[0..<ready].withUnsafeBytes { units throws(CipherError) in
                try self.decrypt(units, at: start, isLast: isLast)
            }
        } else {
            piece.withUnsafeBytes { self.held += $0[..<count] }
            chunk = try self.decryptHeld(at: start, isLast: isLast)
        }
        self.position += Int64(count)
        return (count, chunk)
    }

    /// Handles the end of the stored bytes: if the length was unknown, the held units are the last.
    ///
    /// - Throws: ``CipherError``.
    mutating func finish() throws(CipherError) -> ByteChunk? {
        guard self.layout.storedLength == nil, self.position < self.end else { return nil }
        guard self.position >= self.layout.firstUnit else {
            self.plainEnd = self.position - self.layout.prefix
            return nil
        }
        guard !self.held.isEmpty else {
            guard self.position > self.layout.firstUnit || self.cipher.allowsNoUnit else {
                throw CipherError.cutOff
            }
            self.plainEnd = self.layout.plainStart(ofUnit: self.layout.unit(at: self.position))
            return nil
        }
        return try self.decryptHeld(at: self.position - Int64(self.held.count), isLast: true)
    }

    /// Passes on bytes that are stored unencrypted.
    private mutating func pass(_ piece: ByteMemory) -> (Int, ByteChunk?) {
        let rest = Int(min(self.layout.firstUnit - self.position, Int64(piece.count)))
        let chunk = ByteChunk(at: self.position - self.layout.prefix, memory: piece[0..<rest])
        self.position += Int64(rest)
        return (rest, chunk.clamped(to: self.wanted))
    }

    private var missingBefore: Int {
        guard self.position - Int64(self.held.count) < self.unitStart else { return 0 }
        return Int(self.layout.lookBehind) - self.before.count
    }

    /// The start of the first unit of the span.
    private var unitStart: Int64 {
        guard self.wanted.lowerBound >= self.layout.clear else { return self.layout.firstUnit }
        return self.layout.start(
            ofUnit: (self.wanted.lowerBound - self.layout.clear) / self.layout.plainUnit
        )
    }

    /// How many of the held and new bytes can be decrypted now.
    private func readyCount(with more: Int) -> Int {
        let available = self.held.count + more
        let unit = Int(self.layout.storedUnit)
        let run = min(available, max(unit, self.cipher.largestRun / unit * unit))
        guard let end = self.layout.storedLength else {
            // The end is unknown. If the last unit is special, a unit is not decrypted until a byte
            // behind it has arrived.
            let whole = self.layout.isLastSpecial ? available - 1 : available
            return min(run / unit, whole / unit) * unit
        }
        let left = end - (self.position - Int64(self.held.count))
        return Int64(run) >= left ? Int(left) : run / unit * unit
    }

    private mutating func decryptHeld(at start: Int64, isLast: Bool) throws(CipherError)
        -> ByteChunk?
    {
        var units: [UInt8] = []
        swap(&units, &self.held)
        let chunk = try units.withRawBytes { units throws(CipherError) in
            try self.decrypt(units, at: start, isLast: isLast)
        }
        units.removeAll(keepingCapacity: true)
        swap(&units, &self.held)
        return chunk
    }

    private mutating func decrypt(
        _ units: UnsafeRawBufferPointer,
        at start: Int64,
        isLast: Bool
    ) throws(CipherError) -> ByteChunk? {
        let first = self.layout.unit(at: start)
        let plain = try self.before.withRawBytes { before throws(CipherError) in
            try self.cipher.decrypt(units, from: first, after: before, isLast: isLast)
        }
        if self.layout.lookBehind > 0 {
            self.before = Array(units.suffix(Int(self.layout.lookBehind)))
        }
        var end = self.layout.plainLength ?? .max
        let plainStart = self.layout.plainStart(ofUnit: first)
        if isLast, self.layout.plainLength == nil {
            end = plainStart + Int64(try self.cipher.plainCount(ofLast: plain))
            self.plainEnd = end
        }
        let wanted = self.wanted.clamped(to: 0..<max(end, 0))
        guard !plain.isEmpty, !wanted.isEmpty else { return nil }
        return ByteChunk(at: plainStart, memory: ByteMemory(plain)).clamped(to: wanted)
    }
}

extension [UInt8] {
    /// Lends the bytes to a closure with typed errors.
    func withRawBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = self.withUnsafeBytes { bytes -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}

extension ByteMemory {
    /// Wraps data without a copy.
    init(_ data: Data) {
        self.init(owner: data, count: data.count) { data, body in
            data.withUnsafeBytes(body)
        }
    }
}
