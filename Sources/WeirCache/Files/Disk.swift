// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The file operations for the cache: repeats interrupted calls, and completes short ones.
///
/// No other code does either.
struct Disk: Sendable {
    /// The underlying operations.
    let files: any FileOperations

    /// How often one call may be interrupted before it counts as a failure.
    private static let patience = 1000

    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        try self.repeating { () throws(FileFailure) in try self.files.open(path, for: purpose) }
    }

    /// Opens a file for a purpose, or for reading if the file system is read-only.
    func openToRead(_ path: String, or purpose: FilePurpose) throws(FileFailure) -> CInt {
        do throws(FileFailure) {
            return try self.open(path, for: purpose)
        } catch {
            guard SystemErrors.isReadOnly(error.errno),
                let descriptor = try? self.open(path, for: .reading)
            else { throw error }
            return descriptor
        }
    }

    func close(_ descriptor: CInt) {
        self.files.close(descriptor)
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: how many bytes were read.
    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let position = offset + Int64(done)
            let count = try self.repeating { () throws(FileFailure) in
                try self.files.read(descriptor, into: rest, at: position)
            }
            guard count > 0 else { break }
            done += min(count, rest.count)
        }
        return done
    }

    /// Writes the whole buffer.
    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
            let position = offset + Int64(done)
            let count = try self.repeating { () throws(FileFailure) in
                try self.files.write(descriptor, from: rest, at: position)
            }
            // A write that returns 0 without an error would make this loop endless.
            guard count > 0 else {
                throw FileFailure(errno: SystemErrors.inputOutput, operation: .write)
            }
            done += min(count, rest.count)
        }
    }

    /// Copies a range to the same position of another file.
    ///
    /// The system copies the bytes if it can; otherwise this function reads and writes them.
    func copy(
        _ range: Range<Int64>,
        from descriptor: CInt,
        to target: CInt
    ) throws(FileFailure) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(clamping: min(range.upperBound - offset, 1 << 30))
            do throws(FileFailure) {
                let copied = try self.repeating { () throws(FileFailure) in
                    try self.files.copy(
                        descriptor,
                        at: offset,
                        to: target,
                        at: offset,
                        count: count
                    )
                }
                guard copied > 0 else {
                    throw FileFailure(errno: SystemErrors.inputOutput, operation: .copy)
                }
                offset += Int64(copied)
            } catch {
                guard SystemErrors.isInability(error.errno) else { throw error }
                return try self.copyByHand(offset..<range.upperBound, from: descriptor, to: target)
            }
        }
    }

    private func copyByHand(
        _ range: Range<Int64>,
        from descriptor: CInt,
        to target: CInt
    ) throws(FileFailure) {
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { space.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(range.upperBound - offset, Int64(space.count)))
            let buffer = UnsafeMutableRawBufferPointer(rebasing: space[..<count])
            guard try self.read(descriptor, into: buffer, at: offset) == count else {
                throw FileFailure(errno: SystemErrors.inputOutput, operation: .read)
            }
            try self.write(target, from: UnsafeRawBufferPointer(buffer), at: offset)
            offset += Int64(count)
        }
    }

    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        try self.repeating { () throws(FileFailure) in
            try self.files.freeByteCount(ofDirectory: path)
        }
    }

    func synchronize(_ descriptor: CInt) throws(FileFailure) {
        try self.repeating { () throws(FileFailure) in try self.files.synchronize(descriptor) }
    }

    func order(_ descriptor: CInt) throws(FileFailure) {
        try self.repeating { () throws(FileFailure) in try self.files.order(descriptor) }
    }

    func apply(
        _ attributes: DirectoryAttributes,
        toDirectory path: String
    ) throws(FileFailure) {
        try self.files.apply(attributes, toDirectory: path)
    }

    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        try self.repeating { () throws(FileFailure) in
            try self.files.truncate(descriptor, to: size)
        }
    }

    func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        try self.repeating { () throws(FileFailure) in try self.files.size(of: descriptor) }
    }

    func status(
        of descriptor: CInt
    ) throws(FileFailure) -> (file: FileStatus, identity: FileIdentity) {
        try self.repeating { () throws(FileFailure) in try self.files.status(of: descriptor) }
    }

    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        try self.repeating { () throws(FileFailure) in try self.files.lock(descriptor) }
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try self.repeating { () throws(FileFailure) in try self.files.rename(path, to: newPath) }
    }

    /// Removes a file; it is not an error if there is no such file.
    ///
    /// - Returns: whether there was such a file.
    @discardableResult
    func remove(_ path: String) throws(FileFailure) -> Bool {
        do throws(FileFailure) {
            try self.repeating { () throws(FileFailure) in try self.files.remove(path) }
            return true
        } catch {
            guard SystemErrors.isAbsence(error.errno) else { throw error }
            return false
        }
    }

    func status(of path: String) throws(FileFailure) -> FileStatus? {
        try self.repeating { () throws(FileFailure) in try self.files.status(of: path) }
    }

    /// Creates a directory; it is not an error if it exists already.
    ///
    /// - Returns: whether it was created.
    @discardableResult
    func createDirectory(_ path: String) throws(FileFailure) -> Bool {
        do throws(FileFailure) {
            try self.repeating { () throws(FileFailure) in try self.files.createDirectory(path) }
            return true
        } catch {
            guard SystemErrors.isPresence(error.errno) else { throw error }
            return false
        }
    }

    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try self.repeating { () throws(FileFailure) in try self.files.synchronizeDirectory(path) }
    }

    /// The names in a directory; none if it does not exist.
    func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        do throws(FileFailure) {
            return try self.repeating { () throws(FileFailure) in
                try self.files.contents(ofDirectory: path)
            }
        } catch {
            guard SystemErrors.isAbsence(error.errno) else { throw error }
            return []
        }
    }

    /// Reads the first bytes of a file, at most `limit` of them.
    func bytes(ofFile path: String, limit: Int64) throws(FileFailure) -> [UInt8] {
        let descriptor = try self.open(path, for: .reading)
        defer { self.close(descriptor) }
        let size = Int(min(try self.size(of: descriptor), limit))
        var bytes = [UInt8](repeating: 0, count: max(0, size))
        let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(FileFailure) in
            try self.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Computes the checksum of a range of a file.
    ///
    /// - Parameters:
    ///   - range: the byte range.
    ///   - descriptor: the open file.
    ///   - buffer: space for as many bytes.
    /// - Returns: `nil` if the file is shorter, or cannot be read.
    func checksum(
        of range: Range<Int64>,
        ofFile descriptor: CInt,
        in buffer: UnsafeMutableRawBufferPointer
    ) -> Checksum? {
        let count = Int(range.upperBound - range.lowerBound)
        let space = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        do throws(FileFailure) {
            guard try self.read(descriptor, into: space, at: range.lowerBound) == count else {
                return nil
            }
        } catch {
            return nil
        }
        var checksum = Checksum()
        checksum.take(UnsafeRawBufferPointer(space))
        return checksum
    }

    private func repeating<Result>(
        _ call: () throws(FileFailure) -> Result
    ) throws(FileFailure) -> Result {
        for _ in 1..<Self.patience {
            do throws(FileFailure) {
                return try call()
            } catch {
                guard SystemErrors.isInterruption(error.errno) else { throw error }
            }
        }
        return try call()
    }
}
