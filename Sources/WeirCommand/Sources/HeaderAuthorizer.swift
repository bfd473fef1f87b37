// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Sends the `Authorization` that the user gave.
struct HeaderAuthorizer: RequestAuthorizer {
    let value: String

    func authorization(method: String, url: OriginURL) async throws -> String? { self.value }

    func refused(_ authorization: String?, challenges: [String]) async throws -> Bool { false }
}
