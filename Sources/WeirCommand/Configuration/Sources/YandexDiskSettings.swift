// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source with `service = "yandex-disk"`: the REST interface.
struct YandexDiskSettings: Hashable, Sendable {
    /// By what right it is read.
    enum Access: Hashable, Sendable {
        /// An account of `weir login yandex`; `nil` for the only one that there is.
        case account(String?)
        /// A token of one's own.
        case token(SecretReference)
        /// A public link, which needs no account.
        case publicLink(String)
    }

    var access: Access
    /// The folder that `NAME:/` stands for, starting with a slash; `nil` for all of the disk.
    var root: String?
    /// Where the service answers, if not where it always does; no slash at its end.
    var api: String?
    /// Where its log-in answers, if not where it always does; no slash at its end.
    var oauth: String?
}
