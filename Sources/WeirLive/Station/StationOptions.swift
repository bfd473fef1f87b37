// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio
import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The options of a station.
public struct StationOptions: Sendable {
    /// How much sound is kept behind the live end.
    public var timeShift: Duration
    /// How many bytes are kept at most; values below 4 MiB count as 4 MiB.
    public var timeShiftByteCount: Int64
    /// The folder for the kept sound, in a file without a name; `nil`: the folder for temporary files.
    public var folder: URL?
    /// The charset of titles that are not UTF-8; `nil`: Windows-1252.
    public var charset: ICYCharset?
    /// How much of the newest sound a listener that joins live gets at once, if it is available.
    ///
    /// With a longer burst, the sound begins sooner, and is further behind the live end.
    public var burst: Duration
    /// When to ask the station again.
    package var policy: ReconnectPolicy
    /// The clock of all waits.
    public var clock: any Clock<Duration>
    /// The executor of the station's tasks; `nil`: the default one.
    public var executor: (any TaskExecutor)?
    /// The seed of the jitter of the waits; `nil`: each station draws its own.
    package var seed: UInt64?

    /// Options.
    ///
    /// - Parameters:
    ///   - timeShift: 30 min.
    ///   - timeShiftByteCount: 256 MiB.
    ///   - folder: the folder for temporary files.
    ///   - charset: Windows-1252.
    ///   - burst: 2 s.
    ///   - clock: the system's.
    ///   - executor: the default one.
    public init(
        timeShift: Duration = .seconds(1800),
        timeShiftByteCount: Int64 = 256 << 20,
        folder: URL? = nil,
        charset: ICYCharset? = nil,
        burst: Duration = .seconds(2),
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.init(
            timeShift: timeShift,
            timeShiftByteCount: timeShiftByteCount,
            folder: folder,
            charset: charset,
            burst: burst,
            policy: ReconnectPolicy(),
            clock: clock,
            executor: executor,
            seed: nil
        )
    }

    /// Options with a custom policy and seed.
    package init(
        timeShift: Duration = .seconds(1800),
        timeShiftByteCount: Int64 = 256 << 20,
        folder: URL? = nil,
        charset: ICYCharset? = nil,
        burst: Duration = .seconds(2),
        policy: ReconnectPolicy = ReconnectPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        seed: UInt64?
    ) {
        self.timeShift = timeShift
        self.timeShiftByteCount = timeShiftByteCount
        self.folder = folder
        self.charset = charset
        self.burst = burst
        self.policy = policy
        self.clock = clock
        self.executor = executor
        self.seed = seed
    }
}
