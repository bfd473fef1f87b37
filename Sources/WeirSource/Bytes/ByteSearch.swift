// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether the text has a byte in UTF-8.
    ///
    /// The same as `utf8.contains`, which takes several times as long.
    package func hasByte(_ byte: UInt8) -> Bool {
        self.utf8.withContiguousStorageIfAvailable { $0.contains(byte) }
            ?? self.utf8.contains(byte)
    }
}
