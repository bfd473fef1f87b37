// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Bytes for a comparison; a failure describes them in one line instead of listing all bytes.
struct ReadBytes: Equatable, CustomTestStringConvertible {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var testDescription: String { "\(self.bytes.count) bytes, \(self.bytes.prefix(8)) …" }
}
