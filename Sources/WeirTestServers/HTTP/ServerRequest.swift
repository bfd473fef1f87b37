// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A request as it came: nothing decoded, nothing merged.
struct ServerRequest: Sendable {
    var method: String
    /// The path and the query, as they stood in the first line.
    var target: String
    var fields: [HeaderField] = []
    var body: [UInt8] = []

    /// The target up to its query, still escaped.
    var path: String { String(self.target.prefix { $0 != "?" }) }

    /// What follows the first question mark, still escaped.
    var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }

    /// Every value of a field, in the order in which they came.
    func values(_ name: String) -> [String] {
        self.fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The value of a field that came once; of a doubled one the first, which strictness has refused.
    func value(_ name: String) -> String? { self.values(name).first }
}
