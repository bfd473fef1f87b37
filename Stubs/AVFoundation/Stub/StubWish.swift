// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a data request asks for.
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

    /// The value of the `Range` header, whose form is always closed [dis]; nil for an empty range.
    var rangeHeader: String? {
        length >= 1 ? "bytes=\(offset)-\(end - 1)" : nil
    }

    /// The wish for a range of a resource whose length is known.
    ///
    /// - Parameters:
    ///   - offset: The first byte.
    ///   - length: How many.
    ///   - total: The length of the resource: a range that touches it asks for everything to the end [dis].
    /// - Returns: The wish.
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
