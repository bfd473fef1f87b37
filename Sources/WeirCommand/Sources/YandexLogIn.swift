// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Where Yandex gives out tokens.
struct YandexLogIn {
    /// Where a user agrees.
    let authorization: String
    /// Where tokens are asked for.
    let tokens: OriginURL

    /// The service's own place, or another one.
    ///
    /// - Parameter base: scheme and host; `nil` for the service's own.
    /// - Throws: `SourceError` with `invalidRequest`.
    init(_ base: String?) throws(SourceError) {
        guard var base else {
            self.authorization = YandexDisk.authorization
            self.tokens = try OriginURL(YandexDisk.tokens)
            return
        }
        while base.hasSuffix("/") { base.removeLast() }
        self.authorization = "\(base)/authorize"
        self.tokens = try OriginURL("\(base)/token")
    }
}
