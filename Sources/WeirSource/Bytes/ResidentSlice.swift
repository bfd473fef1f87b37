// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes of a resource in a file, with a lease that keeps the file open.
///
/// The bytes stay while the slice lives. An eviction or a change at the origin unlinks the file or opens another
/// generation, but this descriptor still reads the same bytes.
public struct ResidentSlice: Sendable {
    /// The open file.
    public let file: any LeasedFile
    /// The offset of the first byte in the file.
    public let fileOffset: Int64
    /// The bytes' position in the resource.
    public let range: Range<Int64>
    /// The resource that the bytes belong to; its length is always known.
    public let resource: ResourceDescription

    /// Describes bytes in a file.
    public init(
        file: any LeasedFile,
        fileOffset: Int64,
        range: Range<Int64>,
        resource: ResourceDescription
    ) {
        self.file = file
        self.fileOffset = fileOffset
        self.range = range
        self.resource = resource
    }

    /// The same bytes, with another description of the resource.
    public func described(as resource: ResourceDescription) -> ResidentSlice {
        ResidentSlice(
            file: self.file,
            fileOffset: self.fileOffset,
            range: self.range,
            resource: resource
        )
    }

    /// The part of the slice inside a range of the resource.
    public func clamped(to limits: Range<Int64>) -> ResidentSlice {
        let part = self.range.clamped(to: limits)
        return ResidentSlice(
            file: self.file,
            fileOffset: self.fileOffset + (part.lowerBound - self.range.lowerBound),
            range: part,
            resource: self.resource
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

    /// Reads the bytes into existing memory; may block for a disk access.
    ///
    /// - Parameter room: at least as many bytes as the slice has; the rest does not change.
    /// - Throws: as ``load()``; then the contents of the room are undefined.
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
