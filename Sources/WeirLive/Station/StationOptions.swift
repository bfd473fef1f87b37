// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio
import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a station is kept.
public struct StationOptions: Sendable {
    /// How much of the sound is kept behind the live end.
    public var timeShift: Duration
    /// How many bytes are kept at most; fewer than 4 MiB are taken as these.
    public var timeShiftByteCount: Int64
    /// In which folder it is kept, in a file without a name; `nil`: where temporary files are.
    public var folder: URL?
    /// How titles are coded that are not UTF-8; `nil`: as Windows-1252.
    public var charset: ICYCharset?
    /// How much of the newest sound a listener that joins live is given at once, if it is there: the more, the sooner
    /// it sounds, and the further behind it is.
    public var burst: Duration
    /// When the station is asked again.
    package var policy: ReconnectPolicy
    /// What time is.
    public var clock: any Clock<Duration>
    /// Where the station's tasks run; `nil`: where all run.
    public var executor: (any TaskExecutor)?
    /// What the jitter of the waits is drawn from; `nil`: each station draws other ones.
    package var seed: UInt64?

    /// Options.
    ///
    /// - Parameters:
    ///   - timeShift: 30 min.
    ///   - timeShiftByteCount: 256 MiB.
    ///   - folder: where temporary files are.
    ///   - charset: Windows-1252.
    ///   - burst: 2 s.
    ///   - clock: the system's.
    ///   - executor: the usual one.
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

    /// Options with a policy and a seed of one's own.
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
