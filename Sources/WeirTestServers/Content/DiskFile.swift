// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Synchronization

/// A file on this machine's disk.
///
/// Once read, the file stays open: a new file of the same name changes nothing. Overwriting the file does change the
/// bytes.
final class DiskFile: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    init(path: String) { self.path = path }

    deinit {
        if let descriptor = self.descriptor.withLock({ $0 }) { close(descriptor) }
    }

    /// The bytes of a range; fewer if the file ends, none if it cannot be read.
    func bytes(in range: Range<Int64>) -> [UInt8] {
        guard let descriptor = self.opened() else { return [] }
        let count = Int(range.upperBound - range.lowerBound)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            while written < count {
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[written...])
                let offset = off_t(range.lowerBound) + off_t(written)
                let result = pread(descriptor, rest.baseAddress, count - written, offset)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { break }
                written += result
            }
        }
    }

    private func opened() -> Int32? {
        self.descriptor.withLock { descriptor in
            if descriptor == nil {
                let opened = open(self.path, O_RDONLY | O_CLOEXEC)
                if opened >= 0 { descriptor = opened }
            }
            return descriptor
        }
    }
}

/// The checksums of content, computed when they are first asked for.
final class ContentDigests: Sendable {
    typealias Values = (md5: String, sha256: String)

    private let content: ServedContent
    private let known: Mutex<Values?>

    init(of content: ServedContent, known: Values? = nil) {
        self.content = content
        self.known = Mutex(known)
    }

    /// Both checksums, in lowercase hexadecimal digits.
    var values: Values {
        self.known.withLock { known in
            if let known { return known }
            let values = Self.computed(self.content)
            known = values
            return values
        }
    }

    private static func computed(_ content: ServedContent) -> Values {
        var md5 = Insecure.MD5()
        var sha256 = SHA256()
        for start in stride(from: 0, to: content.length, by: 1 << 20) {
            let bytes = content.bytes(in: start..<min(start + 1 << 20, content.length))
            md5.update(data: bytes)
            sha256.update(data: bytes)
        }
        return (md5.finalize().hexadecimal, sha256.finalize().hexadecimal)
    }
}
