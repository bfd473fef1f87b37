// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a player works.
public struct PlayerOptions: Sendable {
    /// The limits of the queue between the bytes and the decoder.
    public var queue: QueueLimits
    /// The clock of its waits and times.
    public var clock: any Clock<Duration>
    /// Where its tasks run; `nil`: where Swift runs tasks.
    public var executor: (any TaskExecutor)?
    /// How often position, levels and the like are brought up to date.
    public var tick: Duration

    /// Options.
    ///
    /// - Parameters:
    ///   - queue: the limits of the queue between the bytes and the decoder.
    ///   - clock: of its waits and times.
    ///   - executor: where its tasks run; `nil`: where Swift runs tasks.
    ///   - tick: how often position, levels and the like are brought up to date.
    public init(
        queue: QueueLimits = QueueLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        tick: Duration = .milliseconds(100)
    ) {
        self.queue = queue
        self.clock = clock
        self.executor = executor
        self.tick = tick
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

    /// Limits; the defaults are 512 KiB, half a minute and 4,096 packets.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of packets, from 1; one packet is always taken, however large.
    ///   - seconds: sound, above 0.
    ///   - packetCount: packets, from 1.
    public init(byteCount: Int = 512 << 10, seconds: Double = 30, packetCount: Int = 4096) {
        self.byteCount = max(1, byteCount)
        self.seconds = seconds
        self.packetCount = max(1, packetCount)
    }
}
