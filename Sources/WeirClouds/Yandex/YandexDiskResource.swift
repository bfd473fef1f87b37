// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// A file or a folder, as the API describes it.
struct YandexDiskResource: Decodable {
    /// A page of a folder.
    struct Embedded: Decodable {
        let items: [YandexDiskResource]
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

    /// The entry of a listing.
    var entry: FolderEntry {
        FolderEntry(
            name: self.name ?? "",
            kind: self.type == "dir" ? .folder : .file,
            length: self.size.flatMap { $0 >= 0 ? $0 : nil },
            mediaType: self.mimeType.flatMap { MediaType(headerValue: $0) },
            modifiedSeconds: self.modified.flatMap(InternetTime.seconds),
            validator: self.validator
        )
    }

    /// What pins the bytes: their MD5, or the revision where the service has no MD5 of them (yet).
    private var validator: Validator? {
        guard self.type == "file" else { return nil }
        if let md5, !md5.isEmpty { return .revision("md5:\(md5.lowercased())") }
        return self.revision.map { .revision("revision:\($0)") }
    }
}
