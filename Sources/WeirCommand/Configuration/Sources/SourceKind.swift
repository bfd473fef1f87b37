// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a source of the configuration is, by its `service`.
enum SourceKind: Hashable, Sendable {
    case yandexDisk(YandexDiskSettings)
    case yandexWebDAV(YandexWebDAVSettings)
    case webDAV(WebDAVSettings)
    case http(HTTPSettings)
    case files(FilesSettings)

    /// Whether headers of the command line are sent there.
    var takesHeaders: Bool {
        if case .http = self { true } else { false }
    }

    /// What can stand behind `service =`.
    static let services = ["yandex-disk", "yandex-webdav", "webdav", "http", "files"]
}
