// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes in memory with an owner: a view that keeps its owner alive, and whose parts are views of
/// the same memory.
///
/// The owner may be a `ByteBuffer`, a `Data`, an array. Code that knows its type can get it with
/// ``owner`` and ``bounds``, and avoid a copy; all other code uses ``withUnsafeBytes(_:)``. A part
/// keeps all of the owner's memory alive, so copy bytes that are needed for long.
///
/// `@unchecked Sendable`: the bytes are only read, and the owner keeps them unchanged.
public struct ByteMemory: @unchecked Sendable {
    /// The owner itself, if its bytes have a fixed address; otherwise a ``Lender``.
    @usableFromInline let keeper: any AnyObject & Sendable
    /// The address of the owner's first byte; `nil` if the owner lends its bytes call by call.
    @usableFromInline let base: UnsafePointer<UInt8>?
    /// The part of the owner's bytes that this view shows, counted from the owner's first byte.
    public let bounds: Range<Int>

    /// No bytes.
    public static let empty = ByteMemory(ByteStorage(capacity: 0), count: 0)

    /// Wraps an owner that lends its bytes.
    ///
    /// - Parameters:
    ///   - owner: holds the bytes, unchanged for as long as it lives; their address may differ from
    ///     call to call.
    ///   - count: how many bytes it holds.
    ///   - access: calls its second argument once with all of the owner's bytes.
    public init<Owner: Sendable>(
        owner: Owner,
        count: Int,
        access: @escaping @Sendable (Owner, (UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        self.init(
            keeper: Lender(owner: owner) { body in access(owner, body) },
            base: nil,
            bounds: 0..<count
        )
    }

    /// Wraps an array, without a copy.
    public init(_ bytes: [UInt8]) {
        self.init(owner: bytes, count: bytes.count) { bytes, body in bytes.withUnsafeBytes(body) }
    }

    /// Wraps memory with a fixed address, without a copy.
    ///
    /// - Parameters:
    ///   - bytes: the memory; its address and contents must not change while the owner lives.
    ///   - owner: keeps the memory; held for as long as this view or a part of it exists.
    public init(_ bytes: UnsafeRawBufferPointer, owner: some AnyObject & Sendable) {
        guard let base = bytes.baseAddress else {
            self = .empty
            return
        }
        self.init(
            keeper: owner,
            base: base.assumingMemoryBound(to: UInt8.self),
            bounds: 0..<bytes.count
        )
    }

    /// Copies bytes, once.
    ///
    /// - Parameter bytes: any collection of bytes, including an `UnsafeRawBufferPointer`; it is not
    ///   kept.
    public init(copying bytes: some Collection<UInt8>) {
        let count = bytes.count
        let storage = ByteStorage(capacity: count)
        let room = UnsafeMutableBufferPointer(start: storage.base, count: count)
        _ = room.initialize(fromContentsOf: bytes)
        self.init(storage, count: count)
    }

    /// Wraps storage that its creator has filled.
    package init(_ storage: ByteStorage, count: Int) {
        self.init(keeper: storage, base: UnsafePointer(storage.base), bounds: 0..<count)
    }

    @usableFromInline
    init(keeper: any AnyObject & Sendable, base: UnsafePointer<UInt8>?, bounds: Range<Int>) {
        self.keeper = keeper
        self.base = base
        self.bounds = bounds
    }

    /// The object that holds the bytes.
    public var owner: any Sendable { (self.keeper as? Lender)?.owner ?? self.keeper }

    /// How many bytes the view shows.
    @inlinable public var count: Int { self.bounds.count }

    /// Whether the view shows no byte.
    @inlinable public var isEmpty: Bool { self.bounds.isEmpty }

    /// A copy of the bytes.
    public var array: [UInt8] { self.withUnsafeBytes { [UInt8]($0) } }

    /// A byte, counted from the first byte of the view.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < self.count, "outside of the bytes")
        return self.withUnsafeBytes { $0[index] }
    }

    /// A view of a part of these bytes; `range` counts from the first byte of the view.
    @inlinable public subscript(range: Range<Int>) -> ByteMemory {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= self.count,
            "outside of the bytes"
        )
        let lower = self.bounds.lowerBound + range.lowerBound
        return ByteMemory(
            keeper: self.keeper,
            base: self.base,
            bounds: lower..<(lower + range.count)
        )
    }

    /// Lends the bytes for the time of the call.
    @inlinable
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let base = self.base else { return try self.withLentBytes(body) }
        defer { withExtendedLifetime(self.keeper) {} }
        let start = base + self.bounds.lowerBound
        return try body(UnsafeRawBufferPointer(start: start, count: self.bounds.count))
    }

    @usableFromInline
    func withLentBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let lender = self.keeper as? Lender else {
            preconditionFailure("bytes without an address have a lender")
        }
        var outcome: Swift.Result<Result, Failure>?
        lender.access { all in
            let shown = UnsafeRawBufferPointer(rebasing: all[self.bounds])
            do throws(Failure) { outcome = .success(try body(shown)) } catch {
                outcome = .failure(error)
            }
        }
        guard let outcome else { preconditionFailure("the owner's access did not call its body") }
        return try outcome.get()
    }

    /// These bytes at a fixed address: unchanged, or copied if their owner lends them.
    package var pinned: ByteMemory {
        guard self.base == nil else { return self }
        return self.withUnsafeBytes { ByteMemory(copying: $0) }
    }

    /// The address of the view's first byte, valid while the view lives; `nil` unless the bytes are
    /// ``pinned``.
    @inlinable package var address: UnsafePointer<UInt8>? {
        self.base.map { $0 + self.bounds.lowerBound }
    }
}

extension ByteMemory: Hashable {
    /// Compares the bytes, wherever they are in memory.
    public static func == (left: ByteMemory, right: ByteMemory) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        self.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension ByteMemory: CustomStringConvertible, CustomReflectable {
    /// The number of bytes, and the first of them.
    public var description: String {
        let digits = Array("0123456789abcdef")
        let first = self[0..<min(self.count, 8)].array.flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return
            "\(self.count) bytes\(first.isEmpty ? "" : ": \(String(first))\(self.count > 8 ? "…" : "")")"
    }

    /// Only the description: megabytes do not help in a log.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An owner that lends its bytes for the time of a call.
private final class Lender: Sendable {
    let owner: any Sendable
    let access: @Sendable ((UnsafeRawBufferPointer) -> Void) -> Void

    init(
        owner: any Sendable,
        access: @escaping @Sendable ((UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        self.owner = owner
        self.access = access
    }
}

/// Memory with a fixed address, freed with its last reference.
///
/// `@unchecked Sendable`: its creator fills it before it is shared, and after that it is only read.
package final class ByteStorage: @unchecked Sendable {
    package let base: UnsafeMutablePointer<UInt8>
    package let capacity: Int

    /// - Parameter capacity: how many bytes, 0 or more; the storage has at least one.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
        self.base = .allocate(capacity: self.capacity)
    }

    deinit {
        self.base.deallocate()
    }
}
