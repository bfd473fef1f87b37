// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What `resources/download` answers.
struct YandexDiskHref: Decodable {
    let href: String
}
