// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file of a recording that is being written; its name has `.part` behind it until it is whole.
final class OpenRecording: Sendable {
    /// The path it will have.
    let path: String
    /// What is in it.
    let title: String?
    private let descriptor: CInt

    init(descriptor: CInt, path: String, title: String?) {
        self.descriptor = descriptor
        self.path = path
        self.title = title
    }

    deinit {
        close(self.descriptor)
    }

    /// Puts all of the bytes to the end.
    ///
    /// - Parameters:
    ///   - bytes: what is written.
    ///   - end: how many bytes were written before, to which the file is cut back if these do not all fit: so it ends
    ///     where a packet ends.
    /// - Throws: if the disk is full, or fails.
    func write(_ bytes: ByteMemory, at end: Int64) throws(RecordingError) {
        try bytes.withUnsafeBytes { (bytes) throws(RecordingError) in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = pwrite(
                    self.descriptor,
                    rest.baseAddress,
                    rest.count,
                    off_t(end) + off_t(done)
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let reason = String(cString: strerror(errno))
                    _ = ftruncate(self.descriptor, off_t(end))
                    throw RecordingError(
                        "The recording \(self.path) could not be written (\(reason)); free some space,"
                            + " or record to another folder."
                    )
                }
                done += count
            }
        }
    }
}
