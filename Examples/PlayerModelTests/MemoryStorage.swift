// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirTestKit

/// A storage of one folder, whose files are all the same song.
final class MemoryStorage: MediaStorage {
    static let song = [UInt8](repeating: 0x55, count: 200_000)

    private let pages: [[FolderEntry]]
    private let failure: (any Error)?

    /// Lists these pages, and fails after them if it is to.
    init(_ pages: [[FolderEntry]] = [], failure: (any Error)? = nil) {
        self.pages = pages
        self.failure = failure
    }

    let usesCredential = false

    func displayName(of path: FolderPath) -> String { "memory:\(path)" }

    func identity(of path: FolderPath) -> String? { "memory:\(path)" }

    func entry(at path: FolderPath) async throws -> FolderEntry {
        FolderEntry(name: path.name ?? "", kind: .file)
    }

    func entries(in path: FolderPath) -> FolderPages {
        FolderPages { [pages, failure] in
            let place = PagePlace()
            return {
                await Task.yield()
                let number = place.advance()
                if number < pages.count { return pages[number] }
                if let failure { throw failure }
                return nil
            }
        }
    }

    func source(of path: FolderPath) -> any ByteSource {
        MemorySource(
            bytes: Self.song,
            mediaType: .mpegAudio,
            name: path.name,
            validator: .revision("1")
        )
    }
}
