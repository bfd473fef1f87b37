// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirSource

/// HLS playlists, whose parts `weir get` cannot save.
enum HLSFile {
    /// How many bytes show whether a playlist is one of HLS.
    private static let headLength: Int64 = 64 << 10

    /// Whether the first bytes of a file are those of an HLS playlist: `#EXTM3U`, and a line with a
    /// tag `#EXT-X-…` (RFC 8216 §4.3).
    static func begins(with bytes: ByteMemory) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard ListForm(of: bytes) == .m3u else { return false }
            let text = String(decoding: bytes.prefix(Int(Self.headLength)), as: UTF8.self)
            return text.contains("\n#EXT-X-")
        }
    }

    /// Whether a medium is an HLS playlist; `false` if it cannot be read.
    static func isPlaylist(_ media: Media) async -> Bool {
        guard let reading = try? await media.read(.span(0..<self.headLength)) else { return false }
        if media.isPlaylist { return true }
        guard let chunk = try? await reading.makeAsyncIterator().next(),
            let bytes = try? chunk.memory()
        else { return false }
        return self.begins(with: bytes)
    }

    /// The error for a playlist that `weir get` should save.
    static func notSaved(_ display: String) -> CommandError {
        .usage(
            "\(display) is an HLS playlist, whose parts weir get cannot save yet; play it with weir exec, as in:"
                + " weir exec URL -- mpv {}"
        )
    }
}
