// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The JSON that describes a file or a folder.
struct ResourceDocument {
    /// A public file or folder, with its key.
    typealias Publication = (key: String, root: DiskPath)

    let tree: DiskTree
    let account: YandexDiskAccount
    /// The public file or folder and its key; `nil` for the owner's own view.
    var publication: Publication?
    /// Makes the ready link to a file; `nil` for a file without one.
    let link: (DiskPath, ServedFile) -> String?

    /// The document of the file or folder at a path.
    ///
    /// - Parameters:
    ///   - path: its path on the disk.
    ///   - node: the file or the folder.
    ///   - page: the listed part of a folder; `nil` for an entry of a list.
    ///   - selection: the requested members.
    /// - Returns: an object of the requested members.
    func json(
        _ path: DiskPath,
        _ node: DiskTree.Node,
        _ page: ListingPage?,
        _ selection: FieldSelection
    ) -> JSONValue {
        switch node {
        case .file(let file): self.json(path, file, selection)
        case .folder: self.json(path, page, selection)
        }
    }

    private func json(
        _ path: DiskPath,
        _ file: ServedFile,
        _ selection: FieldSelection
    ) -> JSONValue {
        let mimeType = file.mimeType(named: path.name)
        return selection.object(
            [
                ("antivirus_status", { _ in "clean" }),
                ("size", { _ in .number(file.length) }),
            ] + self.common(path, created: file.created, modified: file.modified) + [
                ("mime_type", { _ in .string(mimeType) }),
                ("file", { _ in self.link(path, file).map { .string($0) } }),
                ("media_type", { _ in .string(ServedFile.category(of: mimeType)) }),
                ("sha256", { _ in .string(file.sha256) }),
                ("type", { _ in "file" }),
                ("md5", { _ in .string(file.md5) }),
                ("revision", { _ in .number(file.revision) }),
            ]
        )
    }

    private func json(
        _ path: DiskPath,
        _ page: ListingPage?,
        _ selection: FieldSelection
    ) -> JSONValue {
        let time = ServedFile.usualTime
        return selection.object(
            self.common(path, created: time, modified: time) + [
                ("type", { _ in "dir" }),
                ("revision", { _ in .number(Int64(time) * 1_000_000) }),
                ("_embedded", { inside in page.map { self.embedded(path, $0, inside) } }),
            ]
        )
    }

    private func embedded(
        _ folder: DiskPath,
        _ page: ListingPage,
        _ selection: FieldSelection
    ) -> JSONValue {
        let paths = self.tree.children(of: folder)
        return selection.object([
            ("sort", { _ in .string(page.sort) }),
            (
                "items",
                { inside in
                    .array(
                        page.part(of: paths, in: self.tree).compactMap { path in
                            self.tree.node(path).map { self.json(path, $0, nil, inside) }
                        }
                    )
                }
            ),
            ("limit", { _ in .number(Int64(page.limit)) }),
            ("offset", { _ in .number(Int64(page.offset)) }),
            ("path", { _ in .string(self.shown(folder)) }),
            ("total", { _ in .number(Int64(paths.count)) }),
        ])
    }

    private func common(
        _ path: DiskPath,
        created: Double,
        modified: Double
    ) -> [(String, (FieldSelection) -> JSONValue?)] {
        [
            ("name", { _ in .string(path.names.isEmpty ? "disk" : path.name) }),
            ("created", { _ in .string(CivilTime(created).documentText) }),
            ("resource_id", { _ in .string(LinkTable.resourceID(of: path)) }),
            ("modified", { _ in .string(CivilTime(modified).documentText) }),
            ("path", { _ in .string(self.shown(path)) }),
            ("public_key", { _ in self.publication.map { .string($0.key) } }),
        ]
    }

    /// A path as its reader sees it: from the root of the disk, or from the public file or folder.
    private func shown(_ path: DiskPath) -> String {
        self.publication.map { path.relative(to: $0.root).description } ?? "disk:\(path)"
    }
}
