// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Weir

/// What a medium is known by where its position is remembered.
enum MediaDigest {
    /// The digest of a medium: of what the cache calls it, or of where it lies on this computer.
    static func of(_ media: Media) -> String {
        Self.of(media.identifier.map { "cache:\($0)" } ?? "file:\(media.display)")
    }

    /// The digest of a name: 32 hexadecimal digits.
    static func of(_ name: String) -> String {
        PacketLine.hexadecimal(SHA256.hash(data: Array(name.utf8)).prefix(16))
    }
}
