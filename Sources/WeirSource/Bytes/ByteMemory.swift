// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes in memory that belong to someone: a view that keeps its owner alive and copies nothing.
///
/// The owner may be a `ByteBuffer`, a `Data`, an array: whoever knows its type can take it back with
/// ``owner`` and ``bounds`` and go on without a copy; everybody else uses ``withUnsafeBytes(_:)``.
public struct ByteMemory: Sendable {
    /// What holds the bytes.
    public let owner: any Sendable
    /// The part of the owner's bytes that this view shows, counted from the owner's first byte.
    public let bounds: Range<Int>

    private let access: @Sendable (any Sendable, (UnsafeRawBufferPointer) -> Void) -> Void

    /// Wraps an owner.
    ///
    /// - Parameters:
    ///   - owner: holds the bytes, unchanged for as long as it lives.
    ///   - count: how many bytes it holds.
    ///   - access: calls its second argument once with all of the owner's bytes.
    public init<Owner: Sendable>(
        owner: Owner,
        count: Int,
        access: @escaping @Sendable (Owner, (UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        self.owner = owner
        self.bounds = 0..<count
        self.access = { anyOwner, body in
            // The closure is only ever called with the owner stored beside it.
            guard let owner = anyOwner as? Owner else { return }
            access(owner, body)
        }
    }

    /// Wraps an array.
    public init(_ bytes: [UInt8]) {
        self.init(owner: bytes, count: bytes.count) { bytes, body in bytes.withUnsafeBytes(body) }
    }

    private init(_ other: ByteMemory, bounds: Range<Int>) {
        self.owner = other.owner
        self.access = other.access
        self.bounds = bounds
    }

    /// How many bytes the view shows.
    public var count: Int { self.bounds.count }

    /// Lends the bytes for the time of the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        self.access(self.owner) { all in
            let shown = UnsafeRawBufferPointer(rebasing: all[self.bounds])
            do throws(Failure) { outcome = .success(try body(shown)) } catch {
                outcome = .failure(error)
            }
        }
        guard let outcome else { preconditionFailure("the owner's access did not call its body") }
        return try outcome.get()
    }

    /// A view of a part of these bytes, `range` counted from the first byte shown.
    public subscript(range: Range<Int>) -> ByteMemory {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= self.count,
            "outside of the bytes"
        )
        let lower = self.bounds.lowerBound + range.lowerBound
        return ByteMemory(self, bounds: lower..<(lower + range.count))
    }
}
