// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A name and a password, as RFC 7617 sends them.
struct BasicCredentials: Sendable, Equatable {
    var name: String
    var password: String

    /// Reads the value of an `Authorization` field.
    ///
    /// - Returns: `nil` if it is something else.
    init?(_ field: String) {
        guard field.hasPrefix("Basic "), let data = Data(base64Encoded: String(field.dropFirst(6))),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        self.name = String(text[..<colon])
        self.password = String(text[text.index(after: colon)...])
    }
}
