// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirSource
import WeirTestKit

/// A storage of one folder, whose files are all the same song.
final class MemoryStorage: MediaStorage {
    static let song = [UInt8](repeating: 0x55, count: 200_000)

    let usesCredential = false

    func displayName(of path: FolderPath) -> String { "memory:\(path)" }

    func identity(of path: FolderPath) -> String? { "memory:\(path)" }

    func entry(at path: FolderPath) async throws -> FolderEntry {
        FolderEntry(name: path.name ?? "", kind: .file)
    }

    func entries(in path: FolderPath) -> FolderPages { FolderPages { { nil } } }

    func source(of path: FolderPath) -> any ByteSource {
        MemorySource(
            bytes: Self.song,
            mediaType: .mpegAudio,
            name: path.name,
            validator: .revision("1")
        )
    }
}
