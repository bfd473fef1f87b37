// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// A file or a folder, as the API describes it; a member of a wrong type counts as missing.
struct YandexDiskResource: Decodable {
    /// A page of a folder.
    struct Embedded: Decodable {
        let items: [YandexDiskResource]

        /// The entries that can be named.
        var entries: [FolderEntry] {
            self.items.map(\.entry).filter { FolderPath.isName($0.name) }
        }
    }

    let name: String?
    /// `file` or `dir`.
    let type: String?
    let size: Int64?
    let mimeType: String?
    let modified: String?
    let md5: String?
    /// Changes with the file, and with its name.
    let revision: Int64?
    /// The link to the bytes.
    let file: String?
    let embedded: Embedded?

    enum CodingKeys: String, CodingKey {
        case name, type, size, modified, md5, revision, file
        case mimeType = "mime_type"
        case embedded = "_embedded"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? { try? values.decode(String.self, forKey: key) }
        func number(_ key: CodingKeys) -> Int64? { try? values.decode(Int64.self, forKey: key) }
        self.name = text(.name)
        self.type = text(.type)
        self.size = number(.size).flatMap(ResourceLength.checked)
        self.mimeType = text(.mimeType)
        self.modified = text(.modified)
        self.md5 = text(.md5).flatMap { $0.isEmpty ? nil : $0.lowercased() }
        self.revision = number(.revision)
        self.file = text(.file).flatMap { $0.isEmpty ? nil : $0 }
        self.embedded = try? values.decode(Embedded.self, forKey: .embedded)
    }

    /// The entry of a listing.
    var entry: FolderEntry {
        FolderEntry(
            name: self.name.flatMap { FolderPath.name(ofBytes: $0.utf8) } ?? "",
            kind: self.type == "dir" ? .folder : .file,
            length: self.size.flatMap(ResourceLength.checked),
            mediaType: self.mimeType.flatMap { MediaType(headerValue: $0) },
            modifiedSeconds: self.modified.flatMap(InternetTime.seconds),
            validator: self.validator
        )
    }

    /// What pins the bytes: their MD5, or the revision where the service has no MD5 of them (yet).
    private var validator: Validator? {
        guard self.type == "file" else { return nil }
        if let md5 { return .revision("md5:\(md5)") }
        return self.revision.map { .revision("revision:\($0)") }
    }
}
