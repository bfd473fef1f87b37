// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A piece of a resource as a reading yields it: where it belongs, and where its bytes are.
public struct ByteChunk: Sendable {
    /// Where the bytes are.
    public enum Content: Sendable {
        /// In memory, as they came from an origin or out of a cipher.
        case memory(ByteMemory)
        /// On disk, in a file that a front end may send by its descriptor.
        case resident(ResidentSlice)
    }

    /// The bytes' place in the resource, as its reader sees it.
    ///
    /// Never empty.
    public let range: Range<Int64>
    /// Where the bytes are.
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

    /// The bytes in memory: as they are, or read from disk, which may block for a disk access.
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

/// Bytes of a resource that lie in a file, with a lease that keeps the file open.
///
/// While the slice lives its bytes stay: an eviction or a change at the origin unlinks the file or
/// opens another generation, but this descriptor goes on reading what it read.
public struct ResidentSlice: Sendable {
    /// The open file.
    public let file: any LeasedFile
    /// Where the first byte lies in the file.
    public let fileOffset: Int64
    /// The bytes' place in the resource.
    public let range: Range<Int64>
    /// The resource that the bytes belong to, its length always known.
    public let description: ResourceDescription

    /// Describes bytes in a file.
    public init(
        file: any LeasedFile,
        fileOffset: Int64,
        range: Range<Int64>,
        description: ResourceDescription
    ) {
        self.file = file
        self.fileOffset = fileOffset
        self.range = range
        self.description = description
    }

    /// The same bytes, of a resource described in another way.
    public func described(as description: ResourceDescription) -> ResidentSlice {
        ResidentSlice(
            file: self.file,
            fileOffset: self.fileOffset,
            range: self.range,
            description: description
        )
    }

    /// The part of the slice inside a range of the resource.
    public func clamped(to limits: Range<Int64>) -> ResidentSlice {
        let part = self.range.clamped(to: limits)
        return ResidentSlice(
            file: self.file,
            fileOffset: self.fileOffset + (part.lowerBound - self.range.lowerBound),
            range: part,
            description: self.description
        )
    }

    /// Reads the bytes into memory; may block for a disk access.
    ///
    /// - Throws: ``SourceError`` with `cacheFailed` when the file cannot be read or is too short.
    public func load() throws -> ByteMemory {
        let wanted = Int(self.range.upperBound - self.range.lowerBound)
        let storage = ByteStorage(capacity: wanted)
        try self.load(into: UnsafeMutableRawBufferPointer(start: storage.base, count: wanted))
        return ByteMemory(storage, count: wanted)
    }

    /// Reads the bytes into memory that is there; may block for a disk access.
    ///
    /// - Parameter room: as many bytes as the slice has, or more, whose rest is left alone.
    /// - Throws: as ``load()``; then the room holds anything.
    package func load(into room: UnsafeMutableRawBufferPointer) throws {
        let wanted = Int(self.range.upperBound - self.range.lowerBound)
        precondition(room.count >= wanted, "no room for the slice")
        var count = 0
        while count < wanted {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count..<wanted])
            let read = try self.file.read(into: rest, at: self.fileOffset + Int64(count))
            guard read > 0 else {
                throw SourceError(
                    .cacheFailed,
                    "A cached file ended before the bytes it should hold; remove the resource from the cache.",
                    range: self.range
                )
            }
            count += read
        }
    }
}

/// An open file that stays open for as long as this object lives.
public protocol LeasedFile: AnyObject, Sendable {
    /// The descriptor, valid while this object lives. Read it by position only; never close it.
    ///
    /// `nil` where the bytes do not lie in the file as they are read, and ``read(into:at:)`` is the only way to them.
    var descriptor: CInt? { get }

    /// Reads at a position.
    ///
    /// - Returns: how many bytes were read; 0 at the end of the file.
    /// - Throws: ``SourceError`` with `cacheFailed`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int

    /// Bytes of the file could not be read by its descriptor: their lender looks at them again before it
    /// lends them anew.
    ///
    /// A failed ``read(into:at:)`` needs no such call. Returns at once.
    func doubt()
}

extension LeasedFile {
    /// Nothing is looked at again.
    public func doubt() {}
}
