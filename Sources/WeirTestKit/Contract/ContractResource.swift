// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The resource that a clause of ``ByteSourceContract`` reads through the source under test.
public struct ContractResource: Sendable {
    /// The position at which the origin must stop, and the gate at which it then waits with
    /// ``Gate/wait()``.
    ///
    /// The offset is the first byte that the origin does not hand out before the gate has opened.
    public typealias Hold = (offset: Int64, gate: Gate)

    /// How many bytes the resource has.
    public var length: Int64
    /// The seed of its ``PatternBytes``.
    public var seed: UInt64
    /// Whether the origin announces the length.
    public var isLengthKnown: Bool
    /// Whether the end of the origin's bytes proves the end of the resource.
    public var provesEnd: Bool
    /// Where the origin stops; every reading that gets there waits.
    public var hold: Hold?

    init(
        length: Int64 = Self.standardLength,
        seed: UInt64 = 1,
        isLengthKnown: Bool = true,
        provesEnd: Bool = true,
        holdBefore offset: Int64? = nil
    ) {
        self.length = length
        self.seed = seed
        self.isLengthKnown = isLengthKnown
        self.provesEnd = provesEnd
        self.hold = offset.map { ($0, Gate()) }
    }

    /// The length of several chunks of any reasonable size; it is not a multiple of a chunk.
    static let standardLength: Int64 = 200_003

    /// The bytes of a range within the resource.
    public func bytes(in range: Range<Int64>) -> [UInt8] {
        PatternBytes.bytes(in: range, seed: self.seed)
    }

    /// The resource for a ``ScriptedSource``, with a validator that follows from its bytes.
    public var scripted: ScriptedResource {
        var resource = ScriptedResource(length: self.length, seed: self.seed)
        resource.isLengthKnown = self.isLengthKnown
        resource.provesEnd = self.provesEnd
        return resource
    }

    /// An origin of this resource, with its hold, for a source that decorates another one.
    public func makeOrigin(chunkSize: Int = 16_384) -> ScriptedSource {
        let origin = ScriptedSource(self.scripted, chunkSize: chunkSize)
        if let hold { origin.hold(before: hold.offset, until: hold.gate) }
        return origin
    }
}

/// A source under test, with access to the origin behind it.
public struct ContractSubject: Sendable {
    /// The source.
    public let source: any ByteSource
    /// How many bytes the origin has handed out, over all readings.
    public var originByteCount: (@Sendable () -> Int64)?
    /// Returns when the source does nothing more until a consumer pulls.
    ///
    /// A source that works only while a consumer pulls needs no such closure.
    public var quiescence: (@Sendable () async throws -> Void)?
    /// Replaces the resource by another one, for all later requests.
    public var replace: (@Sendable (ContractResource) async throws -> Void)?
    /// Ends everything that was started for the source.
    public var end: (@Sendable () async -> Void)?

    /// A source without access to its origin.
    public init(_ source: any ByteSource) {
        self.source = source
    }

    /// A source that reads from a scripted one.
    public init(_ source: any ByteSource, over origin: ScriptedSource) {
        self.source = source
        self.originByteCount = { origin.log.byteCount }
        self.replace = { origin.replace(with: $0.scripted) }
    }
}
