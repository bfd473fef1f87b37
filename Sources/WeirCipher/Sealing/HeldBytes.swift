// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes that wait until a whole number of units is there.
struct HeldBytes: Sendable {
    private var bytes: [UInt8] = []
    private let unit: Int

    init(unit: Int) {
        self.unit = unit
    }

    /// Adds bytes and takes whole units out.
    ///
    /// - Parameters:
    ///   - more: what comes.
    ///   - keepsLast: whether the last unit stays, though it is whole, since it may be the file's last.
    /// - Returns: whole units, or nothing.
    mutating func take(_ more: UnsafeRawBufferPointer, keepsLast: Bool = false) -> [UInt8] {
        self.bytes += more
        let count = max(0, self.bytes.count - (keepsLast ? 1 : 0)) / self.unit * self.unit
        guard count > 0 else { return [] }
        let rest = Array(self.bytes[count...])
        self.bytes.removeLast(rest.count)
        defer { self.bytes = rest }
        return self.bytes
    }

    /// What is left: less than a unit, or the last one.
    mutating func takeRest() -> [UInt8] {
        defer { self.bytes = [] }
        return self.bytes
    }
}
