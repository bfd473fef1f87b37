// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes in memory that keep their owner alive; a part of them is another view of the same memory.
///
/// This is what goes into a parser and what packets are made of: a packet that lies whole in a pushed chunk is a view
/// of that chunk and copies nothing, and holds all of the chunk's memory for as long as it is kept.
///
/// `@unchecked Sendable`: the bytes are read only, and the owner keeps them in place.
public struct AudioBytes: @unchecked Sendable {
    let owner: AnyObject?
    let base: UnsafePointer<UInt8>
    /// How many bytes there are.
    public let count: Int

    /// No bytes.
    public static let empty = AudioBytes(ByteStorage(capacity: 0), count: 0)

    /// Copies bytes, once.
    ///
    /// - Parameter bytes: any sequence of bytes, taken front to back.
    public init(_ bytes: some Collection<UInt8>) {
        let storage = ByteStorage(capacity: bytes.count)
        var index = 0
        let isCopied: Void? = bytes.withContiguousStorageIfAvailable { source in
            guard let base = source.baseAddress else { return }
            storage.base.update(from: base, count: source.count)
        }
        if isCopied == nil {
            for byte in bytes {
                storage.base[index] = byte
                index += 1
            }
        }
        self.init(storage, count: bytes.count)
    }

    /// Copies memory, once.
    ///
    /// - Parameter bytes: the memory, which is not kept.
    public init(copying bytes: UnsafeRawBufferPointer) {
        let storage = ByteStorage(capacity: bytes.count)
        if let base = bytes.baseAddress {
            UnsafeMutableRawPointer(storage.base).copyMemory(from: base, byteCount: bytes.count)
        }
        self.init(storage, count: bytes.count)
    }

    /// Wraps memory that somebody else owns, without a copy.
    ///
    /// - Parameters:
    ///   - bytes: the memory; it must stay where it is and as it is while the owner lives.
    ///   - owner: keeps the memory; held for as long as this value or a part of it is.
    public init(_ bytes: UnsafeRawBufferPointer, owner: AnyObject) {
        guard let base = bytes.baseAddress else {
            self = .empty
            return
        }
        self.owner = owner
        self.base = base.assumingMemoryBound(to: UInt8.self)
        self.count = bytes.count
    }

    init(_ storage: ByteStorage, count: Int) {
        self.owner = storage
        self.base = UnsafePointer(storage.base)
        self.count = count
    }

    private init(owner: AnyObject?, base: UnsafePointer<UInt8>, count: Int) {
        self.owner = owner
        self.base = base
        self.count = count
    }

    /// Whether there are none.
    public var isEmpty: Bool { self.count == 0 }

    /// The bytes as an array of their own.
    public var array: [UInt8] { self.withUnsafeBytes { [UInt8]($0) } }

    /// A byte, counted from the first.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < self.count, "outside of the bytes")
        return self.base[index]
    }

    /// A part of the bytes, counted from the first, without a copy.
    public subscript(range: Range<Int>) -> AudioBytes {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= self.count,
            "outside of the bytes"
        )
        return AudioBytes(
            owner: self.owner,
            base: self.base + range.lowerBound,
            count: range.count
        )
    }

    /// Lends the bytes for the time of the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self.owner) {} }
        return try body(UnsafeRawBufferPointer(start: self.base, count: self.count))
    }

    /// Lends the bytes as a view with checked reads, for the time of the call.
    func withView<Result, Failure: Error>(
        _ body: (ByteView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self.owner) {} }
        return try body(ByteView(base: self.base, count: self.count))
    }
}

extension AudioBytes: Hashable {
    /// Equal bytes, wherever they lie.
    public static func == (left: AudioBytes, right: AudioBytes) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        self.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension AudioBytes: CustomStringConvertible, CustomReflectable {
    /// How many bytes there are, and the first of them.
    public var description: String {
        let digits = Array("0123456789abcdef")
        let first = self[0..<min(self.count, 8)].array.flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return
            "\(self.count) bytes\(first.isEmpty ? "" : ": \(String(first))\(self.count > 8 ? "…" : "")")"
    }

    /// Nothing but the description: megabytes are no help to who reads a log.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
