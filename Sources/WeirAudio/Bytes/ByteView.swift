// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A view of bytes that another value keeps alive, with reads that are checked in every build.
///
/// Do not store a view: a view of a ``ByteWindow`` is valid until the window changes, a view of
/// ``ByteMemory`` during the call that lends it.
struct ByteView {
    let base: UnsafePointer<UInt8>
    let count: Int

    /// A view of no bytes.
    static var empty: ByteView { ByteView(base: UnsafePointer(Self.nothing.base), count: 0) }
    private static let nothing = ByteStorage(capacity: 0)

    @inline(__always)
    init(base: UnsafePointer<UInt8>, count: Int) {
        self.base = base
        self.count = count
    }

    @inline(__always)
    private func check(_ offset: Int, _ width: Int) {
        precondition(offset >= 0 && offset &+ width <= self.count, "outside of the view")
    }

    /// The byte at an offset.
    @inline(__always)
    subscript(offset: Int) -> UInt8 {
        self.check(offset, 1)
        return self.base[offset]
    }

    /// A part of the view.
    @inline(__always)
    subscript(range: Range<Int>) -> ByteView {
        self.check(range.lowerBound, range.count)
        return ByteView(base: self.base + range.lowerBound, count: range.count)
    }

    /// An integer, most significant byte first.
    @inline(__always)
    func big<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type = Value.self) -> Value {
        self.check(offset, MemoryLayout<Value>.size)
        return Value(
            bigEndian: UnsafeRawPointer(self.base + offset).loadUnaligned(as: Value.self)
        )
    }

    /// An integer, least significant byte first.
    @inline(__always)
    func little<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type = Value.self) -> Value {
        self.check(offset, MemoryLayout<Value>.size)
        return Value(
            littleEndian: UnsafeRawPointer(self.base + offset).loadUnaligned(as: Value.self)
        )
    }

    /// Three bytes, most significant first.
    @inline(__always)
    func big24(_ offset: Int) -> UInt32 {
        self.check(offset, 3)
        return UInt32(self.base[offset]) << 16 | UInt32(self.base[offset + 1]) << 8
            | UInt32(self.base[offset + 2])
    }

    /// Whether an ASCII text is at an offset; `false` if it does not fit in the view.
    @inline(__always)
    func matches(_ text: StaticString, at offset: Int = 0) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, offset &+ length <= self.count else { return false }
        for index in 0..<length where self.base[offset + index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// The offset of the first byte with a value, at or after an offset; `nil` if no byte has it.
    @inline(__always)
    func firstIndex(of value: UInt8, from offset: Int = 0) -> Int? {
        var index = max(0, offset)
        while index < self.count {
            if self.base[index] == value { return index }
            index &+= 1
        }
        return nil
    }

    /// The viewed memory.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.base, count: self.count)
    }

    /// A copy.
    var array: [UInt8] { [UInt8](UnsafeBufferPointer(start: self.base, count: self.count)) }

    /// A copy that owns its memory.
    var copy: ByteMemory {
        ByteMemory(copying: self.bytes)
    }
}

extension ByteMemory {
    /// A view of pinned bytes, valid while the memory lives.
    @inline(__always)
    var view: ByteView {
        guard let address = self.address else { preconditionFailure("the bytes are not pinned") }
        return ByteView(base: address, count: self.count)
    }

    /// Lends the bytes as a view with checked reads, for the time of the call.
    func withView<Result, Failure: Error>(
        _ body: (ByteView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.withUnsafeBytes { (bytes) throws(Failure) -> Result in
            guard let base = bytes.baseAddress else { return try body(ByteView.empty) }
            let first = base.assumingMemoryBound(to: UInt8.self)
            return try body(ByteView(base: first, count: bytes.count))
        }
    }
}

extension ByteView {
    /// Whether there are no bytes.
    var isEmpty: Bool { self.count == 0 }

    /// The bytes as Latin-1 text (ISO 8859-1: every byte is the code point of its number).
    var latin1Text: String {
        var units: [UInt8] = []
        units.reserveCapacity(self.count)
        for index in 0..<self.count {
            let byte = self[index]
            if byte < 0x80 {
                units.append(byte)
            } else {
                units.append(0xC0 | byte >> 6)
                units.append(0x80 | byte & 0x3F)
            }
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// The bytes as UTF-8 text; invalid sequences become U+FFFD.
    var utf8Text: String {
        String(decoding: UnsafeBufferPointer(start: self.base, count: self.count), as: UTF8.self)
    }

    /// The bytes as UTF-8 text; `nil` if any of them is not UTF-8.
    var strictUTF8Text: String? {
        String(validating: UnsafeBufferPointer(start: self.base, count: self.count), as: UTF8.self)
    }

    /// The view from an offset on; empty if the offset is at or past the end.
    func from(_ offset: Int) -> ByteView {
        self[min(max(0, offset), self.count)..<self.count]
    }
}
