// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Bytes that a test compares; when they differ it says so in a line, not in a million.
struct ReadBytes: Equatable, CustomTestStringConvertible {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var testDescription: String { "\(self.bytes.count) bytes, \(self.bytes.prefix(8)) …" }
}
