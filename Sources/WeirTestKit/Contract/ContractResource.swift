// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The resource that a clause of ``ByteSourceContract`` wants to read through the source under test.
public struct ContractResource: Sendable {
    /// A place at which the origin is to stop.
    public struct Hold: Sendable {
        /// The first byte that the origin does not hand out before the gate has opened.
        public let offset: Int64
        /// What the origin waits at, with ``Gate/wait()``.
        public let gate: Gate
    }

    /// How many bytes the resource has.
    public var length: Int64
    /// Whose ``PatternBytes`` they are.
    public var seed: UInt64
    /// Whether the origin tells the length.
    public var isLengthKnown: Bool
    /// Whether the end of what the origin sends proves the end of the resource.
    public var provesEnd: Bool
    /// Where the origin stops; every reader of it that comes there waits.
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
        self.hold = offset.map { Hold(offset: $0, gate: Gate()) }
    }

    /// Some chunks of any reasonable size, and a multiple of nothing.
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

    /// An origin of this resource for a source that decorates another, its hold in place.
    public func makeOrigin(chunkSize: Int = 16_384) -> ScriptedSource {
        let origin = ScriptedSource(self.scripted, chunkSize: chunkSize)
        if let hold { origin.hold(before: hold.offset, until: hold.gate) }
        return origin
    }
}

/// A source under test, with what can be known of the origin behind it.
public struct ContractSubject: Sendable {
    /// The source.
    public let source: any ByteSource
    /// How many bytes the origin has handed out, over all readings.
    public var originByteCount: (@Sendable () -> Int64)?
    /// Returns when the source does nothing any more until somebody pulls.
    ///
    /// A source that works only while it is pulled needs none.
    public var quiescence: (@Sendable () async throws -> Void)?
    /// Puts another resource in the place of the first, for every request to come.
    public var replace: (@Sendable (ContractResource) async throws -> Void)?
    /// Ends what was started for the source.
    public var end: (@Sendable () async -> Void)?

    /// A source of which nothing more is known.
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
