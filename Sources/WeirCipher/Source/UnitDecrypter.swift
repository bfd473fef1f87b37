// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WeirSource

/// Decrypts whole units of one resource: the part that differs between formats.
public protocol UnitCipher: Sendable {
    /// How many stored bytes are best decrypted at a time: a multiple of a unit, and bounded.
    var largestRun: Int { get }

    /// Decrypts units that follow each other.
    ///
    /// - Parameters:
    ///   - stored: the units, not empty; the last one of the file may be a shorter one.
    ///   - first: the number of the first.
    ///   - before: the stored bytes before it, as many as the layout's `lookBehind`; none for the first of the file.
    ///   - isLast: whether the file ends with these units.
    /// - Returns: the plain bytes, the padding of the last unit included.
    /// - Throws: ``CipherError`` with `damaged` where the format can tell.
    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data

    /// How many plain bytes the last unit holds, once it has been decrypted: all but the padding.
    ///
    /// - Throws: ``CipherError`` where what has been decrypted cannot be an end.
    func plainCount(ofLast plain: Data) throws(CipherError) -> Int

    /// Whether a file may end without any unit.
    var allowsNoUnit: Bool { get }
}

extension UnitCipher {
    /// All of them: there is no padding.
    public func plainCount(ofLast plain: Data) throws(CipherError) -> Int { plain.count }
    /// A file may be empty.
    public var allowsNoUnit: Bool { true }
}

/// Turns the stored bytes of a span, as they come, into plain chunks.
///
/// It is given pieces of any size, from the span's first byte on, and takes of each as much as it can use; what is less
/// than a unit it keeps. A piece that starts where a unit starts is decrypted where it lies.
struct UnitDecrypter {
    private let layout: StoredLayout
    private let cipher: any UnitCipher
    /// The plain bytes that are wanted.
    private let wanted: Range<Int64>
    /// The next stored byte to come.
    private var position: Int64
    /// The stored bytes before the next unit.
    private var before: [UInt8] = []
    /// Stored bytes of units that are not whole yet.
    private var held: [UInt8] = []

    /// Where the plain file ends, once the stored bytes have shown it where the length was not known.
    private(set) var plainEnd: Int64?
    /// Where the bytes end that were asked for.
    private let end: Int64

    /// Prepares for a span.
    ///
    /// - Parameters:
    ///   - opened: the resource.
    ///   - wanted: the plain bytes; to `Int64.max` where the end is not known.
    ///   - end: where the stored bytes end that were asked for, as ``StoredLayout/read(for:)`` says.
    init(_ opened: OpenedResource, wanted: Range<Int64>, end: Int64) {
        self.layout = opened.layout
        self.cipher = opened.cipher
        self.wanted = wanted
        self.end = end
        self.position = opened.layout.storedStart(for: wanted.lowerBound)
    }

    /// How many bytes are best given next.
    var preferredCount: Int {
        if self.position < self.layout.firstUnit { return self.cipher.largestRun }
        return self.missingBefore + max(1, self.cipher.largestRun - self.held.count)
    }

    /// Takes stored bytes.
    ///
    /// - Parameter piece: the bytes that follow those taken before, not empty.
    /// - Returns: how many were taken, and the chunk that came of them, if any.
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

    /// There are no more bytes: where the length was not known, the units that are held are the last.
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

    /// Bytes that are stored as they are.
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

    /// Where the first unit of the span starts.
    private var unitStart: Int64 {
        guard self.wanted.lowerBound >= self.layout.clear else { return self.layout.firstUnit }
        return self.layout.start(
            ofUnit: (self.wanted.lowerBound - self.layout.clear) / self.layout.plainUnit
        )
    }

    /// How many of the held bytes and those to come can be decrypted now.
    private func readyCount(with more: Int) -> Int {
        let available = self.held.count + more
        let unit = Int(self.layout.storedUnit)
        let run = min(available, max(unit, self.cipher.largestRun / unit * unit))
        guard let end = self.layout.storedLength else {
            // Which unit is the last is not known: if that makes a difference, one stays.
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
    /// Lends the bytes to work that throws errors of one type.
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
