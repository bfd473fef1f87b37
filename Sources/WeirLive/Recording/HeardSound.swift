// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirSource

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The sound of a station that plays at the same time, delivered only after it was heard.
///
/// A player hears a station some seconds behind its live end. A recording of the heard sound must
/// end where hearing ends. So this type holds a piece of sound until the player has begun its last
/// packet. When the recording ends, the type delivers the heard part of the held piece.
final class HeardSound: StationSounds {
    private struct State {
        /// The station's time that was heard when the end was requested.
        var end: Duration?
        /// Whether a read of the listener is pending, and nothing is held.
        var isReading = false
    }

    /// How often the heard time is checked.
    private static let interval = Duration.milliseconds(100)

    private let listener: StationListener
    private let core: StationCore
    private let heard: @Sendable () -> Duration?
    private let state = Mutex(State())

    /// The sound of a listener, which belongs to this object from now on.
    ///
    /// - Parameters:
    ///   - listener: the recording's listener.
    ///   - core: the listener's station.
    ///   - heard: the station's time that is heard now; `nil`: do not wait.
    init(
        _ listener: StationListener,
        _ core: StationCore,
        heard: @escaping @Sendable () -> Duration?
    ) {
        self.listener = listener
        self.core = core
        self.heard = heard
    }

    func nextSound() async throws -> StationSound? {
        let isOver = self.state.withLock { state in
            state.isReading = state.end == nil
            return !state.isReading
        }
        if isOver { return nil }
        let sound = try await self.listener.nextSound()
        self.state.withLock { $0.isReading = false }
        guard case .packets(let packets)? = sound else { return sound }
        while true {
            if let end = self.state.withLock({ $0.end }) {
                self.listener.cancel()
                return packets.before(end).map { .packets($0) }
            }
            guard let heard = self.heard(), heard <= packets.lastTime else { return sound }
            try await self.core.timeline.sleep(Self.interval)
        }
    }

    /// Ends with the sound that has been heard by now.
    func cancel() {
        let heard = self.heard() ?? self.core.liveTime
        let isReading = self.state.withLock { state in
            state.end = state.end ?? heard
            return state.isReading
        }
        if isReading { self.listener.cancel() }
    }
}

extension Station {
    /// Records the heard sound of the station, as ``record(into:behindLive:isReplacing:)`` records
    /// the arriving sound.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files.
    ///   - isReplacing: whether files of an earlier recording with the same names are replaced.
    ///   - heard: returns the station's time that is heard now, for the beginning and the end of
    ///     the recording; `nil`: the live end.
    /// - Returns: the recording, which continues until it is stopped or released.
    /// - Throws: ``RecordingError`` if the folder cannot be made or written to.
    package func record(
        into folder: URL,
        isReplacing: Bool = false,
        heard: @escaping @Sendable () -> Duration?
    ) throws -> StationRecording {
        let writer = try RecordingWriter(
            folder: folder.path(percentEncoded: false),
            station: self.name,
            isReplacing: isReplacing
        )
        let listener = self.listen(from: heard().map { .time($0) } ?? .live)
        return StationRecording(
            HeardSound(listener, self.core, heard: heard),
            writer,
            executor: self.executor
        )
    }
}
