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

/// The sound of a station that is listened to beside it, none before it was heard.
///
/// A player hears a station some seconds behind its live end. A recording of what is heard ends where hearing does:
/// sound is held until the player has come to its end, and of what is held at the end the heard part is given.
final class HeardSound: StationSounds {
    private struct State {
        /// The station's time up to which was heard when the end was asked for.
        var end: Duration?
        /// Whether the listener is waited for, and nothing is held.
        var isReading = false
    }

    /// How often it is looked how far hearing has come.
    private static let interval = Duration.milliseconds(100)

    private let listener: StationListener
    private let core: StationCore
    private let heard: @Sendable () -> Duration?
    private let state = Mutex(State())

    /// The sound of a listener, which is taken over.
    ///
    /// - Parameters:
    ///   - listener: reads for the recording.
    ///   - core: the listener's station.
    ///   - heard: the station's time of what is heard; `nil`: nothing is waited for.
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

    /// Ends with what has been heard by now.
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
    /// Records what is heard of the station, as ``record(into:behindLive:isReplacing:)`` records what comes.
    ///
    /// - Parameters:
    ///   - folder: where the files go.
    ///   - isReplacing: whether files of an earlier recording that have the same names are replaced.
    ///   - heard: the station's time of what is heard now: there the recording begins, and there it ends; `nil`: at the
    ///     live end.
    /// - Returns: the recording, which goes on until it is stopped, or dropped.
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
