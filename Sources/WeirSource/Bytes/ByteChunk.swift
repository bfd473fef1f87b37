// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A piece of a resource as a reading yields it: its position, and its bytes.
public struct ByteChunk: Sendable {
    /// The storage of the bytes.
    public enum Content: Sendable {
        /// In memory, as an origin or a cipher delivered them.
        case memory(ByteMemory)
        /// On disk, in a file that a front end may send by its descriptor.
        case resident(ResidentSlice)
    }

    /// The bytes' position in the resource, as its reader sees it.
    ///
    /// Never empty.
    public let range: Range<Int64>
    /// The storage of the bytes.
    public let content: Content

    /// A chunk in memory.
    public init(at offset: Int64, memory: ByteMemory) {
        self.range = offset..<(offset + Int64(memory.count))
        self.content = .memory(memory)
    }

    /// A chunk on disk.
    public init(_ slice: ResidentSlice) {
        self.range = slice.range
        self.content = .resident(slice)
    }

    /// How many bytes the chunk holds.
    public var count: Int { Int(self.range.upperBound - self.range.lowerBound) }

    /// Returns the bytes in memory; may block to read them from disk.
    ///
    /// - Throws: ``SourceError`` with `cacheFailed` when the file cannot be read.
    public func memory() throws -> ByteMemory {
        switch self.content {
        case .memory(let memory): memory
        case .resident(let slice): try slice.load()
        }
    }

    /// A copy of the bytes.
    ///
    /// - Throws: as ``memory()``.
    public func bytes() throws -> [UInt8] {
        try self.memory().withUnsafeBytes { Array($0) }
    }

    /// The part of the chunk inside a range of the resource; `nil` if there is none.
    public func clamped(to limits: Range<Int64>) -> ByteChunk? {
        let part = self.range.clamped(to: limits)
        guard !part.isEmpty else { return nil }
        guard part != self.range else { return self }
        switch self.content {
        case .memory(let memory):
            let lower = Int(part.lowerBound - self.range.lowerBound)
            return ByteChunk(at: part.lowerBound, memory: memory[lower..<(lower + part.count)])
        case .resident(let slice):
            return ByteChunk(slice.clamped(to: part))
        }
    }
}

/// An open file that stays open for as long as this object lives.
public protocol LeasedFile: AnyObject, Sendable {
    /// The descriptor, valid while this object lives.
    ///
    /// Read it by position only; never close it. `nil` if the file does not contain the bytes as
    /// readers see them; then only ``read(into:at:)`` reads them.
    var descriptor: CInt? { get }

    /// Reads at a position.
    ///
    /// - Returns: how many bytes were read; 0 at the end of the file.
    /// - Throws: ``SourceError`` with `cacheFailed`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int

    /// Reports that bytes of the file could not be read by its descriptor.
    ///
    /// The source that lent the file checks the bytes before it lends them again. A failed
    /// ``read(into:at:)`` needs no such call. Returns at once.
    func doubt()
}

extension LeasedFile {
    /// Does nothing: the source checks no bytes again.
    public func doubt() {}
}
