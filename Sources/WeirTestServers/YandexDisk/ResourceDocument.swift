// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The JSON that describes a file or a folder.
struct ResourceDocument {
    let tree: DiskTree
    let account: YandexDiskAccount
    /// What is public of it, and by which key; `nil` for the owner's own view.
    var publication: Publication?
    /// Makes the ready link to a file; `nil` for none.
    let link: (DiskPath, ServedFile) -> String?

    /// The document of what lies at a path.
    ///
    /// - Parameters:
    ///   - path: where it lies on the disk.
    ///   - node: what lies there.
    ///   - page: which part of a folder is listed; `nil` for what is listed itself.
    ///   - selection: what of it is wanted.
    /// - Returns: an object of the members that are wanted.
    func json(
        _ path: DiskPath,
        _ node: DiskTree.Node,
        _ page: ListingPage?,
        _ selection: FieldSelection
    ) -> JSONValue {
        switch node {
        case .file(let entry): self.json(path, entry, selection)
        case .folder: self.json(path, page, selection)
        }
    }

    private func json(
        _ path: DiskPath,
        _ entry: DiskTree.Entry,
        _ selection: FieldSelection
    ) -> JSONValue {
        let file = entry.file
        let kind = MediaKind(of: file, named: path.name)
        return selection.object(
            [
                ("antivirus_status", { _ in "clean" }),
                ("size", { _ in .number(file.length) }),
            ] + self.common(path, created: file.created, modified: file.modified) + [
                ("mime_type", { _ in .string(kind.mimeType) }),
                ("file", { _ in self.link(path, file).map { .string($0) } }),
                ("media_type", { _ in .string(kind.mediaType) }),
                ("sha256", { _ in .string(file.sha256) }),
                ("type", { _ in "file" }),
                ("md5", { _ in .string(file.md5) }),
                ("revision", { _ in .number(entry.revision) }),
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

    /// A path as its reader sees it: from the root of the disk, or of what is public.
    private func shown(_ path: DiskPath) -> String {
        self.publication.map { path.relative(to: $0.root).description } ?? "disk:\(path)"
    }
}

/// Which members of a document are wanted: the argument `fields`, as `name,_embedded.items.name`.
struct FieldSelection: Sendable {
    private static let known: Set<String> = [
        "_embedded", "antivirus_status", "comment_ids", "created", "custom_properties",
        "description",
        "display_name", "error", "exif", "file", "href", "is_paid", "items", "limit", "login",
        "max_file_size", "md5", "media_type", "message", "method", "mime_type", "modified", "name",
        "offset", "origin_path", "owner", "path", "photoslice_time", "preview", "public_key",
        "public_url", "resource_id", "revision", "sha256", "share", "size", "sizes", "sort",
        "system_folders", "templated", "total", "total_space", "trash_size", "type", "uid",
        "used_space", "user", "views_count",
    ]

    private let paths: [[String]]?

    /// Everything.
    static let all = FieldSelection(paths: nil)

    private init(paths: [[String]]?) { self.paths = paths }

    /// Reads the argument; without one everything is wanted.
    init(_ argument: String?) throws(Refusal) {
        guard let argument else {
            self = .all
            return
        }
        var paths: [[String]] = []
        for field in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let path = field.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init
            )
            if let unknown = path.first(where: { !Self.known.contains($0) }) {
                throw .violation("The argument fields names \(unknown), which is unknown.")
            }
            paths.append(path)
        }
        self.paths = paths
    }

    /// Whether a member is wanted, or anything in it.
    func wants(_ name: String) -> Bool { self.paths?.contains { $0.first == name } ?? true }

    /// What is wanted of a member.
    func inside(_ name: String) -> FieldSelection {
        guard let paths else { return .all }
        let rest = paths.filter { $0.first == name }.map { Array($0.dropFirst()) }
        // A path that ends with the member wants all of it.
        return FieldSelection(paths: rest.contains([]) ? nil : rest)
    }

    /// Makes an object of the members that are wanted, and computes no others.
    func object(_ members: [(String, (FieldSelection) -> JSONValue?)]) -> JSONValue {
        .object(
            members.compactMap { name, value in
                guard self.wants(name), let value = value(self.inside(name)) else { return nil }
                return (name, value)
            }
        )
    }
}

/// Which part of a folder is wanted, and in which order.
struct ListingPage: Sendable {
    private static let orders: Set<String> = ["created", "modified", "name", "path", "size"]

    let limit: Int
    let offset: Int
    let sort: String

    init(_ arguments: Arguments) throws(Refusal) {
        self.limit = try arguments.number("limit", default: 20)
        self.offset = try arguments.number("offset", default: 0)
        self.sort = arguments["sort"] ?? ""
        let order = self.sort.hasPrefix("-") ? String(self.sort.dropFirst()) : self.sort
        guard order.isEmpty && self.sort.isEmpty || Self.orders.contains(order) else {
            throw .violation(
                "The argument sort is \(self.sort), which is none of \(Self.orders.sorted())."
            )
        }
    }

    /// The part of what lies in a folder.
    ///
    /// - Parameters:
    ///   - paths: all of it, by name.
    ///   - tree: the disk.
    /// - Returns: the paths on the page, in its order.
    func part(of paths: [DiskPath], in tree: DiskTree) -> [DiskPath] {
        var paths = paths
        if let key = self.key {
            let ranks = paths.map { path -> (DiskPath, Double) in
                guard case .file(let entry) = tree.node(path) else { return (path, 0) }
                return (path, key(entry.file))
            }
            paths = ranks.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
        }
        if self.sort.hasPrefix("-") { paths.reverse() }
        return Array(paths.dropFirst(self.offset).prefix(self.limit))
    }

    /// What is compared, where it is not the name.
    private var key: ((ServedFile) -> Double)? {
        switch self.sort.drop(while: { $0 == "-" }) {
        case "size": { Double($0.length) }
        case "modified": { $0.modified }
        case "created": { $0.created }
        default: nil
        }
    }
}
