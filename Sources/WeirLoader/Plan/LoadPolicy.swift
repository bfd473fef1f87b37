// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The numbers that steer what is fetched and when.
public struct LoadPolicy: Hashable, Sendable {
    /// What stays to be fetched when no reader wants it any more.
    public var keep: KeepPolicy
    /// How far a fetch may run ahead of the reader that is farthest along, in bytes.
    public var readAhead: Int64
    /// How far ahead of a running fetch a reader may start and still wait for it, in bytes, at most.
    ///
    /// Beyond it another request is faster. On a slow line it is less: what the line carries in the time
    /// that another request would wait for its first byte, 16 KiB at the least.
    public var reach: Int64
    /// How many requests one resource may have under way.
    public var maximumFetches: Int
    /// How long a connection is kept when its last reader has gone: the next request is often adjacent.
    public var linger: Duration
    /// The longest piece that a reader is given at once, in bytes.
    public var maximumChunk: Int64
    /// When the origin is asked whether what is held is still what it was.
    public var revalidation: Revalidation
    /// Bytes that carry no validator outlive the process: the user says that they never change.
    public var isImmutable: Bool

    /// The defaults: keep what was played, 1 MiB read ahead, 512 KiB reach, 6 fetches, 250 ms, pieces
    /// of 1 MiB, revalidation after 60 s.
    public init(
        keep: KeepPolicy = .played,
        readAhead: Int64 = 1 << 20,
        reach: Int64 = 512 << 10,
        maximumFetches: Int = 6,
        linger: Duration = .milliseconds(250),
        maximumChunk: Int64 = 1 << 20,
        revalidation: Revalidation = .after(.seconds(60)),
        isImmutable: Bool = false
    ) {
        self.keep = keep
        self.readAhead = max(0, readAhead)
        self.reach = max(0, reach)
        self.maximumFetches = max(1, maximumFetches)
        self.linger = linger
        self.maximumChunk = max(1, maximumChunk)
        self.revalidation = revalidation
        self.isImmutable = isImmutable
    }
}
