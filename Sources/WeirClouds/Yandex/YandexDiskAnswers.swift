// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response of the API: a file or a folder, the link to a file, or an error.
///
/// A member of the wrong type counts as missing.
struct YandexDiskAnswer: Decodable {
    let name: String?
    /// `file` or `dir`.
    let type: String?
    let size: Int64?
    let mimeType: String?
    let modified: String?
    let md5: String?
    /// The revision, which changes with the file and with its name.
    let revision: Int64?
    /// The link to the bytes.
    let file: String?
    /// A page of the entries of the folder.
    let items: [YandexDiskAnswer]?
    /// The link to the bytes, from `resources/download`.
    let href: String?
    /// The error's name: `DiskNotFoundError`.
    let error: String?

    private enum CodingKeys: String, CodingKey {
        case name, type, size, modified, md5, revision, file, items, href, error
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
        let embedded = try? values.nestedContainer(keyedBy: CodingKeys.self, forKey: .embedded)
        self.items = try? embedded?.decode([YandexDiskAnswer].self, forKey: .items)
        self.href = text(.href)
        self.error = text(.error)
    }

    /// Reads the API's JSON; `nil` for anything else.
    init?(json bytes: [UInt8]) {
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = answer
    }

    /// The entry for a listing.
    var entry: FolderEntry {
        FolderEntry(
            name: self.name.flatMap { FolderPath.name(ofBytes: $0.utf8) } ?? "",
            kind: self.type == "dir" ? .folder : .file,
            length: self.size.flatMap(ResourceLength.checked),
            mediaType: self.mimeType.flatMap { MediaType(headerValue: $0) },
            modifiedSeconds: self.modified.flatMap { Int64(internetTime: $0) },
            validator: self.validator
        )
    }

    /// The validator of the bytes: their MD5, or the revision if the service has no MD5 (yet).
    private var validator: Validator? {
        guard self.type == "file" else { return nil }
        if let md5 { return .revision("md5:\(md5)") }
        return self.revision.map { .revision("revision:\($0)") }
    }
}

/// A refusal of the API: `{"error": …, "description": …, "message": …}`.
struct YandexDiskFailure {
    private let answer: ServiceAnswer
    private let error: String?

    init(_ answer: ServiceAnswer) {
        self.answer = answer
        self.error = answer.isSuccess ? nil : YandexDiskAnswer(json: answer.body)?.error
    }

    /// Whether a retry is useless although the status suggests one.
    var isFinal: Bool {
        self.error == "DiskResourceDownloadLimitExceededError"
            || self.error == "DiskUploadTrafficLimitExceeded"
    }

    /// The error for the user; `sent` is the credential of the request.
    func error(about display: String, host: String, sent: SentCredential = .none)
        -> SourceError
    {
        let status = self.answer.status
        func unauthorized(_ sent: SentCredential) -> String {
            "\(host) wants a token for \(display) (401 Unauthorized), and \(sent.refusal); log in with"
                + " weir login yandex, or give a valid token."
        }
        if self.isFinal { return SourceError.overQuota(display, status: status, host: host) }
        return switch status {
        case 401:
            SourceError(
                .unauthorized,
                unauthorized(sent.withoutPlace),
                host: host,
                status: status
            )
            .tellingOwner(unauthorized(sent))
        case 403: SourceError.forbidden(display, status: status, host: host)
        case 404, 409, 410: SourceError.notFound(display, status: status, host: host)
        case 423: SourceError.locked(display, status: status, host: host)
        case 429: SourceError.throttled(display, answer: self.answer, host: host)
        case 503 where self.answer.retryAfter != nil:
            SourceError.throttled(display, answer: self.answer, host: host)
        case 507: SourceError.overQuota(display, status: status, host: host)
        case 500...: SourceError.failed(display, status: status, host: host)
        default:
            SourceError.badAnswer(display, "status \(status)", status: status, host: host)
        }
    }
}
