// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of a message or of a record: values are appended at the end and read from the start.
///
/// Reading never traps. It returns `nil` if there are too few bytes, and then takes none.
struct WireBuffer: Sendable {
    private var storage: [UInt8]
    /// How many bytes have been read.
    private var position = 0

    /// Creates a buffer with these bytes to read.
    init(_ bytes: [UInt8] = []) { self.storage = bytes }

    /// How many bytes have not been read.
    var count: Int { self.storage.count - self.position }

    /// The bytes that have not been read; not copied if none has been read.
    var bytes: [UInt8] {
        self.position == 0 ? self.storage : Array(self.storage[self.position...])
    }

    /// Appends bytes.
    mutating func append(_ bytes: some Sequence<UInt8>) { self.storage.append(contentsOf: bytes) }

    /// Appends an integer, least significant byte first.
    mutating func append(integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { self.storage.append(contentsOf: $0) }
    }

    /// Takes the next bytes.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= self.count else { return nil }
        defer { self.position += count }
        return self.storage[self.position..<self.position + count]
    }

    /// Takes the next integer, least significant byte first.
    mutating func takeInteger<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        guard let bytes = self.take(MemoryLayout<Value>.size) else { return nil }
        var value: Value = 0
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        return Value(littleEndian: value)
    }
}

extension WireBuffer: Hashable {
    /// Compares the unread bytes.
    static func == (left: WireBuffer, right: WireBuffer) -> Bool {
        left.storage[left.position...] == right.storage[right.position...]
    }

    /// Hashes the unread bytes.
    func hash(into hasher: inout Hasher) { hasher.combine(self.storage[self.position...]) }
}
