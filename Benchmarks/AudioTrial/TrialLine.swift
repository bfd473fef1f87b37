// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a trial of one file.
struct TrialLine {
    var file: String
    var values: [(String, String)] = []
    /// The first failure; `nil` if the trial succeeded.
    var failure: String?

    /// A line of JSON.
    var text: String {
        var parts = ["\"file\": \(Self.quoted(self.file))"]
        parts += self.values.map { "\"\($0)\": \($1)" }
        if let failure { parts.append("\"failure\": \(Self.quoted(failure))") }
        return "{\(parts.joined(separator: ", "))}"
    }

    private static func quoted(_ text: String) -> String {
        let encoded = try? JSONEncoder().encode(text)
        return encoded.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
