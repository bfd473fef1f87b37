// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// Numbers as header fields write them: digits and nothing else.
enum DecimalNumber {
    /// The number, or `nil` if there is anything but digits, nothing at all, or more than an `Int64`
    /// holds.
    static func int64(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard digit.isASCIIDigit else { return nil }
            let (scaled, isTooBig) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooBigNow) = scaled.addingReportingOverflow(
                Int64(digit - UInt8(ascii: "0"))
            )
            guard !isTooBig, !isTooBigNow else { return nil }
            number = sum
        }
        return number
    }

    /// The number of bytes of a resource, or `nil` also for more than any has.
    static func length(_ digits: some Collection<UInt8>) -> Int64? {
        self.int64(digits).flatMap(ResourceLength.checked)
    }
}
