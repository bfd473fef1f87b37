// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
public import WeirSource

/// A folder for one test alone, removed with everything in it when the object is released.
public final class TemporaryDirectory: Sendable {
    /// The folder's absolute path, without a slash at the end.
    public let path: String

    /// Makes an empty folder that no other user may read, where the system keeps temporary files.
    public init() {
        let folder = "weir-\(UUID().uuidString.lowercased())"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(folder)
        do {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            preconditionFailure("a test could not make its folder \(url.path): \(error)")
        }
        self.path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// The path of an entry in the folder.
    public func path(of name: String) -> String {
        "\(self.path)/\(name)"
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file of given bytes that has no name, and is deleted with the object.
public final class TemporaryFile: LeasedFile {
    private let handle: CInt

    private let reads = Mutex(0)

    /// Writes a file.
    public init(_ bytes: [UInt8]) {
        let folder = TemporaryDirectory()
        let path = folder.path(of: "file")
        self.handle = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        precondition(self.handle >= 0, "a test could not make the file \(path)")
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                let count = write(self.handle, rest.baseAddress, rest.count)
                precondition(count > 0, "a test could not write the file \(path)")
                written += count
            }
        }
    }

    deinit {
        close(self.handle)
    }

    /// The descriptor, valid while this object exists.
    public var descriptor: CInt? { self.handle }

    /// How often bytes have been read by ``read(into:at:)``.
    public var readCount: Int { self.reads.withLock { $0 } }

    /// Reads at a position.
    ///
    /// - Throws: `SourceError` with `cacheFailed`.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        self.reads.withLock { $0 += 1 }
        let count = pread(self.handle, buffer.baseAddress, buffer.count, off_t(offset))
        guard count >= 0 else {
            throw SourceError(.cacheFailed, "A test's file could not be read: error \(errno).")
        }
        return count
    }
}
