// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The options of a player.
public struct PlayerOptions: Sendable {
    /// The limits of the queue between the bytes and the decoder.
    public var queue: QueueLimits
    /// How much of the next item is fetched before its turn; `nil`: nothing.
    public var prefetch: PrefetchLimits?
    /// The clock of its waits and times.
    public var clock: any Clock<Duration>
    /// The executor of its tasks; `nil`: Swift's default executor.
    public var executor: (any TaskExecutor)?
    /// How often position, levels and other figures are updated.
    public var tick: Duration
    /// How much own lag a station may have before sound is skipped.
    ///
    /// Own lag comes from a lost connection, or from another halt of the player. A server's lead
    /// over real time does not count: all of its sound is heard.
    public var allowedLag: Duration

    /// Options.
    ///
    /// - Parameters:
    ///   - queue: the limits of the queue between the bytes and the decoder.
    ///   - prefetch: how much of the next item is fetched before its turn; `nil`: nothing.
    ///   - clock: the clock of its waits and times.
    ///   - executor: the executor of its tasks; `nil`: Swift's default executor.
    ///   - tick: how often position, levels and other figures are updated.
    ///   - allowedLag: how much later a station may be heard, after a halt of the player, before
    ///     sound is skipped.
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

/// The limits of a packet queue: at the first limit reached, reading pauses until there is room
/// again.
public struct QueueLimits: Hashable, Sendable {
    /// Bytes of packets.
    public var byteCount: Int
    /// Sound, in seconds.
    public var seconds: Double
    /// Packets.
    public var packetCount: Int

    /// Limits; the defaults are 16 MiB, half a minute and 4,096 packets.
    ///
    /// The byte limit bounds the memory. Lossless sound reaches the time limit first, except at the
    /// highest rates. So the queue gathers as many seconds of lossless sound as of other sound.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of packets, from 1; the queue always takes one packet, however large.
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
/// The player reads the first bytes of the next file, and the bytes that its container requires
/// first. For example, the index of an MP4 file may be at its end. A library keeps these bytes. The
/// player does this once for an item, while sound is played and the queue of packets is at least
/// half full. The prefetch ends at once when the queue of items changes, the player pauses, seeks
/// or stops, or the sound runs dry. If a source keeps no bytes
/// (``/WeirSource/ByteSource/availability`` stays empty), the player stops reading it after the
/// first chunk. Stations are not prefetched.
public struct PrefetchLimits: Hashable, Sendable {
    /// The most bytes of the next item that are read, at any offset; a chunk that has begun is
    /// taken completely.
    public var byteCount: Int64
    /// How long before the end of the current item the fetching may begin.
    public var lead: Duration

    /// Limits; the defaults are 1 MiB and one minute.
    ///
    /// - Parameters:
    ///   - byteCount: bytes, from 1.
    ///   - lead: above zero; nothing is fetched after an item of unknown length.
    public init(byteCount: Int64 = 1 << 20, lead: Duration = .seconds(60)) {
        self.byteCount = max(1, byteCount)
        self.lead = lead
    }
}
