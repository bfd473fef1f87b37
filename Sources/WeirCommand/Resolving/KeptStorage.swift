// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirHTTP
import WeirSource

/// The folders of a storage that is not asked, made of what the cache holds of it.
final class KeptStorage: MediaStorage {
    private let base: any MediaStorage
    private let library: MediaLibrary

    init(_ base: any MediaStorage, in library: MediaLibrary) {
        self.base = base
        self.library = library
    }

    func displayName(of path: FolderPath) -> String { self.base.displayName(of: path) }

    func identity(of path: FolderPath) -> String? { self.base.identity(of: path) }

    var usesCredential: Bool { self.base.usesCredential }

    func source(of path: FolderPath) -> any ByteSource { self.base.source(of: path) }

    func entry(at path: FolderPath) async throws -> FolderEntry {
        guard try await self.children(of: path).isEmpty else {
            return FolderEntry(name: path.name ?? "/", kind: .folder)
        }
        let names = [self.base.identity(of: path), self.base.displayName(of: path)]
        let kept = try await self.library.resources().first { names.contains($0.display) }
        guard let kept, let name = path.name else { throw self.nothing(at: path) }
        return FolderEntry(name: name, kind: .file, length: kept.length, mediaType: kept.mediaType)
    }

    func entries(in path: FolderPath) -> FolderPages {
        FolderPages {
            let pages = Pages(storage: self, path: path)
            return { try await pages.next() }
        }
    }

    /// The one page of a folder.
    private actor Pages {
        private var storage: KeptStorage?
        private let path: FolderPath

        init(storage: KeptStorage, path: FolderPath) {
            self.storage = storage
            self.path = path
        }

        func next() async throws -> [FolderEntry]? {
            guard let storage else { return nil }
            self.storage = nil
            let entries = try await storage.children(of: self.path)
            guard !entries.isEmpty else { throw storage.nothing(at: self.path) }
            return entries
        }
    }

    private func nothing(at path: FolderPath) -> SourceError {
        SourceError(
            .offline,
            "Nothing is kept of \(self.displayName(of: path)), and it is not asked while this is offline; play it online first."
        )
    }

    /// What lies in a folder, by the names of what is kept.
    private func children(of path: FolderPath) async throws -> [FolderEntry] {
        var found: [FolderEntry] = []
        var names: Set<String> = []
        for resource in try await self.library.resources() {
            guard let (name, isFolder) = self.child(of: path, in: resource.display),
                names.insert(name).inserted
            else { continue }
            found.append(
                isFolder
                    ? FolderEntry(name: name, kind: .folder)
                    : FolderEntry(
                        name: name,
                        kind: .file,
                        length: resource.length,
                        mediaType: resource.mediaType
                    )
            )
        }
        return found
    }

    /// The name below a folder that leads to a resource, and whether it is that of a folder; `nil` where none does.
    private func child(of path: FolderPath, in display: String) -> (String, isFolder: Bool)? {
        func below(_ folder: String) -> Substring? {
            let folder = folder.hasSuffix("/") ? folder : "\(folder)/"
            guard display.utf8.starts(with: folder.utf8) else { return nil }
            return display[display.utf8.index(display.startIndex, offsetBy: folder.utf8.count)...]
        }
        let isAddress = self.base.identity(of: path).flatMap(below)
        guard let rest = isAddress ?? below(self.base.displayName(of: path)) else { return nil }
        let end = rest.firstIndex(of: "/")
        let text = rest[..<(end ?? rest.endIndex)]
        let bytes = isAddress == nil ? Array(text.utf8) : PercentCoding.decodedBytes(text)
        return FolderPath.name(ofBytes: bytes).map { ($0, end != nil) }
    }
}
