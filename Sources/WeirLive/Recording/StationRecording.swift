// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A recording of a station that follows it by itself: a listener of its own, and a `RecordingWriter`.
///
/// It lasts until ``stop()``, until the station gives up or is closed, or until the disk fails. A player of the
/// station beside it shares its connection.
public final class StationRecording: Sendable {
    private let sounds: any StationSounds
    private let writer: RecordingWriter
    private let task: Task<Void, Never>

    /// Begins to record.
    ///
    /// - Parameters:
    ///   - sounds: the listener, which is taken over.
    ///   - writer: is taken over.
    ///   - executor: where the recording runs; `nil`: where all runs.
    init(
        _ sounds: any StationSounds,
        _ writer: RecordingWriter,
        executor: (any TaskExecutor)?
    ) {
        self.sounds = sounds
        self.writer = writer
        // Owned by the recording; ends with its listener, which `stop()` and `deinit` cancel, or with a writer that
        // failed.
        self.task = Task(executorPreference: executor) {
            await Self.run(sounds, writer)
        }
    }

    /// What happens, the newest 256 events that happened before included; ends with the recording.
    ///
    /// A listener that is more than 256 events behind loses the oldest, and gets ``RecordingEvent/missed(_:)`` in their place.
    public func events() -> AsyncStream<RecordingEvent> { self.writer.events() }

    /// Whether the recording has ended.
    public var isOver: Bool { self.writer.isOver }

    /// Ends the recording with what it has by now; ``stop()`` waits for its last file.
    package func end() {
        self.sounds.cancel()
    }

    /// Ends the recording; returns when the last file is whole.
    public func stop() async {
        self.sounds.cancel()
        await self.task.value
    }

    deinit {
        self.sounds.cancel()
    }

    private static func run(_ sounds: any StationSounds, _ writer: RecordingWriter) async {
        while !writer.isOver {
            // A station that gave up has nothing more to record, and says why itself.
            guard let sound = try? await sounds.nextSound() else { break }
            writer.take(sound)
        }
        sounds.cancel()
        writer.finish()
    }
}

extension Station {
    /// Records the station into a folder, split at titles, without coding anything anew.
    ///
    /// - Parameters:
    ///   - folder: where the files go; it is made if it does not exist, what it is in must.
    ///   - distance: how far behind the live end to begin; what is no longer kept is passed over.
    ///   - isReplacing: whether files of an earlier recording that have the same names are replaced; otherwise the new
    ///     ones get numbers.
    /// - Returns: the recording, which goes on until it is stopped, or dropped.
    /// - Throws: ``RecordingError`` if the folder cannot be made or written to.
    public func record(
        into folder: URL,
        behindLive distance: Duration = .zero,
        isReplacing: Bool = false
    ) throws -> StationRecording {
        let writer = try RecordingWriter(
            folder: folder.path(percentEncoded: false),
            station: self.name,
            isReplacing: isReplacing
        )
        let start = distance > .zero ? StationStart.behind(distance) : .live
        return StationRecording(self.listen(from: start), writer, executor: self.executor)
    }
}

/// Why a recording cannot begin, or not go on.
public struct RecordingError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for a person.
    public var message: String

    /// A reason.
    public init(_ message: String) {
        self.message = message
    }

    /// The sentence; `localizedDescription` is the same.
    public var errorDescription: String? { self.message }

    /// The sentence.
    public var description: String { self.message }
}

/// What happened in a recording.
public enum RecordingEvent: Hashable, Sendable {
    /// A file was begun.
    case began(file: URL, title: String?)
    /// A file is whole.
    case ended(file: URL, title: String?, byteCount: Int64)
    /// Recording stopped, since it cannot go on; the sentence says why.
    case failed(String)
    /// So many events were lost here, since the listener was slow or late: the folder has the files.
    case missed(Int)
}

extension RecordingEvent: LossyEvent {}
