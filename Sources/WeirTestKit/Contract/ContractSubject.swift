// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

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
