// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Splits the `Set-Cookie` fields of a response, which the platform joins with commas.
///
/// Dates in the fields contain commas too (RFC 6265 §3).
enum JoinedCookies {
    /// The fields; a comma separates two fields if a name and an equals sign follow the comma.
    static func split(_ value: String) -> [String] {
        var (fields, field) = ([String](), "")
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            if field.isEmpty {
                field = String(part)
            } else if Self.beginsCookie(part) {
                fields.append(field)
                field = String(part)
            } else {
                field += ",\(part)"
            }
        }
        return fields + [field]
    }

    private static func beginsCookie(_ text: Substring) -> Bool {
        let start = text.drop { $0 == " " }
        let name = start.prefix { $0 != "=" && $0 != ";" && $0 != " " }
        return !name.isEmpty && start[name.endIndex...].first == "="
    }
}
