// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The range of a data request.
struct StubWish: Sendable, Hashable {
    /// The first byte.
    let offset: Int64
    /// How many bytes.
    let length: Int
    /// Whether the range touches the end of the resource.
    let toEnd: Bool

    /// The first byte behind the range.
    var end: Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(Int64(length))
        return overflow ? .max : sum
    }

    /// The value of the `Range` header, which always has a last byte [dis]; nil for an empty range.
    var rangeHeader: String? {
        length >= 1 ? "bytes=\(offset)-\(end - 1)" : nil
    }

    /// The request for a range of a resource of known length.
    ///
    /// - Parameters:
    ///   - offset: The first byte.
    ///   - length: The number of bytes.
    ///   - total: The length of the resource. A range that ends there requests all bytes to the end [dis].
    /// - Returns: The request.
    static func range(_ offset: Int64, length: Int64, of total: Int64) -> StubWish {
        StubWish(
            offset: offset,
            length: Int(length),
            toEnd: total > 0 && offset + length >= total
        )
    }

    init(offset: Int64, length: Int, toEnd: Bool) {
        self.offset = offset
        self.length = length
        self.toEnd = toEnd
    }
}
