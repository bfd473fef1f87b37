// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The requested members of a document: the argument `fields`, as `name,_embedded.items.name`.
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

    /// All members.
    static let all = FieldSelection(paths: nil)

    private init(paths: [[String]]?) { self.paths = paths }

    /// Reads the argument; without one all members are requested.
    init(_ argument: String?) throws(ServerError) {
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

    /// Whether a member is requested, or a part of it.
    func wants(_ name: String) -> Bool { self.paths?.contains { $0.first == name } ?? true }

    /// The requested parts of a member.
    func inside(_ name: String) -> FieldSelection {
        guard let paths else { return .all }
        let rest = paths.filter { $0.first == name }.map { Array($0.dropFirst()) }
        // A path that ends with the member requests all of it.
        return FieldSelection(paths: rest.contains([]) ? nil : rest)
    }

    /// Makes an object of the requested members, and computes no others.
    func object(_ members: [(String, (FieldSelection) -> JSONValue?)]) -> JSONValue {
        .object(
            members.compactMap { name, value in
                guard self.wants(name), let value = value(self.inside(name)) else { return nil }
                return (name, value)
            }
        )
    }
}
