// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A value of JSON, as `--json` prints it.
enum JSON: Encodable, Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case decimal(Double)
    case flag(Bool)
    case list([JSON])
    case object([String: JSON])

    /// A whole number of any size that is in use.
    static func number(_ value: some BinaryInteger) -> JSON { .integer(Int64(value)) }

    /// An object; fields without a value are left out.
    static func fields(_ fields: [String: JSON?]) -> JSON {
        .object(fields.compactMapValues(\.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .flag(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .object(let fields): try container.encode(fields)
        }
    }
}
