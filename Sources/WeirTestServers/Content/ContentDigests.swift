// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization

/// The checksums of content, computed when they are first asked for.
final class ContentDigests: Sendable {
    struct Values: Sendable {
        var md5: String
        var sha256: String
    }

    private let content: ServedContent
    private let known: Mutex<Values?>

    init(of content: ServedContent, known: Values? = nil) {
        self.content = content
        self.known = Mutex(known)
    }

    /// Both, in lowercase hexadecimal digits.
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
        return Values(md5: md5.finalize().hexadecimal, sha256: sha256.finalize().hexadecimal)
    }
}
