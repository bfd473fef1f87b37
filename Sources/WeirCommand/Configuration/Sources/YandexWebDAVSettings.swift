// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A source with `service = "yandex-webdav"`.
struct YandexWebDAVSettings: Hashable, Sendable {
    var credential: ServiceCredential
    /// Where the service answers, if not where it always does.
    var url: ConfiguredURL?
    /// Where its log-in answers, if not where it always does; no slash at its end.
    var oauth: String?
}
