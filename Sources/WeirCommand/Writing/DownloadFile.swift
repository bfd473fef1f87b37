// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirLive
import WeirSource

/// The output file of a command, or the device or pipe at its path.
///
/// A file appears under its name when it is whole. The value owns its descriptor and closes it
/// once. An unfinished file leaves nothing behind.
final class DownloadFile {
    private let target: OutputTarget
    /// `nil` for a device, a pipe or standard output.
    private let unfinished: UnfinishedFile?
    /// `nil` after the close.
    private var descriptor: CInt?

    /// Opens a file.
    ///
    /// - Throws: ``CommandError`` as ``OutputTarget/way(isForced:)``, and if the folder is not
    ///   writable; `CancellationError` if the task is cancelled while a pipe has no reader.
    init(_ target: OutputTarget, isForced: Bool) throws {
        self.target = target
        switch try target.way(isForced: isForced) {
        case .descriptor(let number):
            self.unfinished = nil
            // A descriptor from a shell is inherited (no FD_CLOEXEC); all others belong to this
            // program.
            let flags = fcntl(number, F_GETFD)
            guard flags >= 0, flags & FD_CLOEXEC == 0 else { throw target.failure(EBADF) }
            let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw target.failure(errno) }
            self.descriptor = descriptor
        case .through:
            self.unfinished = nil
            self.descriptor = try Self.through(target)
        case .file(let isReplacing):
            let unfinished = UnfinishedFile(for: target, isReplacing: isReplacing)
            self.unfinished = unfinished
            self.descriptor = try unfinished.make()
        }
    }

    deinit { self.discard() }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandError`` if the disk is full; ``ReaderHasLeft`` if the reader of a pipe
    ///   has closed it.
    func write(_ bytes: ByteMemory) throws {
        try bytes.withUnsafeBytes { try self.write($0) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandError`` if the disk is full; ``ReaderHasLeft`` if the reader of a pipe
    ///   has closed it.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let descriptor else { throw self.target.failure(EBADF) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(
                descriptor,
                UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let number = count < 0 ? errno : EIO
                if number == EPIPE { throw ReaderHasLeft() }
                throw self.target.failure(number)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the whole file its name.
    ///
    /// - Throws: ``CommandError`` if the disk was full or the name is taken; then the unfinished
    ///   file is removed.
    func finish() throws {
        guard let descriptor else { return }
        self.descriptor = nil
        // A network disk may report only at the close that it is full. A close that a signal
        // interrupts counts as successful.
        let failure = close(descriptor) == 0 || errno == EINTR ? nil : errno
        guard let failure else {
            try self.unfinished?.finish()
            return
        }
        self.unfinished?.discard()
        throw self.target.failure(failure)
    }

    /// Removes the unfinished file; does nothing after ``finish()``.
    func discard() {
        guard let descriptor else { return }
        self.descriptor = nil
        close(descriptor)
        self.unfinished?.discard()
    }

    /// Opens a device or a pipe as it is; waits for a pipe's reader, unless the task is cancelled.
    private static func through(_ target: OutputTarget) throws -> CInt {
        while true {
            let flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK
            let descriptor = target.place.withCString { open($0, flags) }
            var status = stat()
            guard descriptor >= 0 else {
                let number = errno
                let isPipe =
                    target.place.withCString { stat($0, &status) } == 0
                    && status.st_mode & S_IFMT == S_IFIFO
                guard number == EINTR || number == ENXIO && isPipe else {
                    throw target.failure(number)
                }
                try Task.checkCancellation()
                usleep(50_000)
                continue
            }
            // A file may have replaced the device since the check.
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG,
                fcntl(descriptor, F_SETFL, 0) == 0
            else {
                close(descriptor)
                throw target.taken
            }
            return descriptor
        }
    }
}

/// The reader of a pipe has closed it, after which the command ends without a message.
struct ReaderHasLeft: Error {}

/// A file that is being written: it has a random name in the target's folder until it is whole.
struct UnfinishedFile {
    /// The path of the unfinished file.
    let place: LocalPath
    private let target: OutputTarget
    private let isReplacing: Bool
    private let naming: FileNaming

    /// Chooses the path, and creates nothing yet.
    init(for target: OutputTarget, isReplacing: Bool, naming: FileNaming = FileNaming()) {
        let bytes = target.place.bytes
        let folder = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[...$0] } ?? []
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        self.place = LocalPath(bytes: Array(folder) + Array(".weir-\(number).part".utf8))
        self.target = target
        self.isReplacing = isReplacing
        self.naming = naming
    }

    /// Creates the file, and opens it for writing.
    ///
    /// - Throws: ``CommandError`` if the folder is not writable.
    func make() throws(CommandError) -> CInt {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = self.place.withCString { open($0, flags, 0o666) }
        guard descriptor >= 0 else { throw self.target.failure(errno) }
        return descriptor
    }

    /// Gives the whole file its name; replaces a file of that name only if the user asked for it.
    ///
    /// - Throws: ``CommandError``; then the unfinished file is removed.
    func finish() throws(CommandError) {
        let outcome = self.target.place.withCString { name in
            self.place.withCString { path in
                self.naming.give(pointer: name, to: path, isReplacing: self.isReplacing)
            }
        }
        switch outcome {
        case .given: return
        case .taken:
            self.discard()
            throw self.target.taken
        case .failed(let number):
            self.discard()
            throw self.target.failure(number)
        }
    }

    /// Removes the unfinished file.
    func discard() { _ = self.place.withCString { unlink($0) } }

    /// The path as text.
    var path: String { String(decoding: self.place.bytes, as: UTF8.self) }
}
