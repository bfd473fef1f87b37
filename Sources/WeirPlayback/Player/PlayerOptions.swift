// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a player works.
public struct PlayerOptions: Sendable {
    /// The limits of the queue between the bytes and the decoder.
    public var queue: QueueLimits
    /// How much of the next item is fetched before its turn; `nil`: nothing.
    public var prefetch: PrefetchLimits?
    /// The clock of its waits and times.
    public var clock: any Clock<Duration>
    /// Where its tasks run; `nil`: where Swift runs tasks.
    public var executor: (any TaskExecutor)?
    /// How often position, levels and the like are brought up to date.
    public var tick: Duration
    /// How much later a station may be heard after a lost connection, or another halt of our own, before sound is given
    /// up.
    ///
    /// What a server sends ahead of time is not meant: all of it is heard.
    public var allowedLag: Duration

    /// Options.
    ///
    /// - Parameters:
    ///   - queue: the limits of the queue between the bytes and the decoder.
    ///   - prefetch: how much of the next item is fetched before its turn; `nil`: nothing.
    ///   - clock: of its waits and times.
    ///   - executor: where its tasks run; `nil`: where Swift runs tasks.
    ///   - tick: how often position, levels and the like are brought up to date.
    ///   - allowedLag: how much later a station may be heard, after a halt of our own, before sound is given up.
    public init(
        queue: QueueLimits = QueueLimits(),
        prefetch: PrefetchLimits? = PrefetchLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        tick: Duration = .milliseconds(100),
        allowedLag: Duration = .seconds(10)
    ) {
        self.queue = queue
        self.prefetch = prefetch
        self.clock = clock
        self.executor = executor
        self.tick = tick
        self.allowedLag = allowedLag
    }
}

/// The limits of a packet queue: at the first that is reached, reading pauses until there is room again.
public struct QueueLimits: Hashable, Sendable {
    /// Bytes of packets.
    public var byteCount: Int
    /// Sound, in seconds.
    public var seconds: Double
    /// Packets.
    public var packetCount: Int

    /// Limits; the defaults are 16 MiB, half a minute and 4,096 packets.
    ///
    /// The bytes bound the memory; sound without loss reaches the time first, but for the greatest rates, so that as
    /// much of it is gathered as of any other.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of packets, from 1; one packet is always taken, however large.
    ///   - seconds: sound, above 0.
    ///   - packetCount: packets, from 1.
    public init(byteCount: Int = 16 << 20, seconds: Double = 30, packetCount: Int = 4096) {
        self.byteCount = max(1, byteCount)
        self.seconds = seconds
        self.packetCount = max(1, packetCount)
    }
}

/// How much of the next item is fetched before its turn, and when.
///
/// The first bytes of the next file are read, and those that its container says must be read first (the index of an MP4
/// file that lies at its end), so that a library keeps them. It happens once for an item, only while sound comes out and
/// the present item's sound is at hand as far as it is gathered, and ends at once when the queue changes, the player seeks
/// or stops, or the sound runs dry. Sources that keep nothing close by (``/WeirSource/ByteSource/availability``
/// stays empty) are left after the first chunk. Stations are not prefetched.
public struct PrefetchLimits: Hashable, Sendable {
    /// Bytes that are read of the next item at most, wherever they lie; a chunk that was begun is taken whole.
    public var byteCount: Int64
    /// How long before the end of the present item it may begin.
    public var lead: Duration

    /// Limits; the defaults are 1 MiB and one minute.
    ///
    /// - Parameters:
    ///   - byteCount: bytes, from 1.
    ///   - lead: above zero; of an item whose length is unknown nothing follows.
    public init(byteCount: Int64 = 1 << 20, lead: Duration = .seconds(60)) {
        self.byteCount = max(1, byteCount)
        self.lead = lead
    }
}
