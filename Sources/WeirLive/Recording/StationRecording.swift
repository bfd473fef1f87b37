// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A recording that follows a station with a listener of its own and a `RecordingWriter`.
///
/// It lasts until ``stop()``, until the station gives up or is closed, or until the disk fails. A
/// player of the same station shares its connection.
public final class StationRecording: Sendable {
    private let sounds: any StationSounds
    private let writer: RecordingWriter
    private let task: Task<Void, Never>

    /// Begins to record.
    ///
    /// - Parameters:
    ///   - sounds: the listener, which belongs to the recording from now on.
    ///   - writer: the writer, which belongs to the recording from now on.
    ///   - executor: the executor of the recording; `nil`: the default one.
    init(
        _ sounds: any StationSounds,
        _ writer: RecordingWriter,
        executor: (any TaskExecutor)?
    ) {
        self.sounds = sounds
        self.writer = writer
        // Owned by the recording. Ends with its listener, which `stop()` and `deinit` cancel, or
        // with a failed writer.
        self.task = Task(executorPreference: executor) {
            await Self.run(sounds, writer)
        }
    }

    /// The events of the recording, with the newest 256 earlier events; the stream ends with the
    /// recording.
    ///
    /// An observer that is more than 256 events behind loses the oldest, and gets
    /// ``RecordingEvent/missed(_:)`` in their place.
    public func events() -> AsyncStream<RecordingEvent> { self.writer.events() }

    /// Whether the recording has ended.
    public var isOver: Bool { self.writer.isOver }

    /// Ends the recording with the sound that it has received so far; ``stop()`` waits for its last
    /// file.
    package func end() {
        self.sounds.cancel()
    }

    /// Ends the recording; returns when the last file is complete.
    public func stop() async {
        self.sounds.cancel()
        await self.task.value
    }

    deinit {
        self.sounds.cancel()
    }

    private static func run(_ sounds: any StationSounds, _ writer: RecordingWriter) async {
        while !writer.isOver {
            // A station that gave up has no more sound, and reports the reason itself.
            guard let sound = try? await sounds.nextSound() else { break }
            writer.take(sound)
        }
        sounds.cancel()
        writer.finish()
    }
}

extension Station {
    /// Records the station into a folder, split at titles, without recoding.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; it is created if it does not exist, and its parent
    ///     must exist.
    ///   - distance: how far behind the live end to begin; sound that is no longer kept is skipped.
    ///   - isReplacing: whether files of an earlier recording with the same names are replaced;
    ///     otherwise the new ones get numbers.
    /// - Returns: the recording, which continues until it is stopped or released.
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

/// Why a recording cannot begin or continue.
public struct RecordingError: ExplainedError, Hashable {
    /// One sentence for people.
    public var message: String

    /// An error with a message.
    public init(_ message: String) {
        self.message = message
    }
}

/// An event of a recording.
public enum RecordingEvent: Hashable, Sendable {
    /// A file has begun.
    case began(file: URL, title: String?)
    /// A file is complete.
    case ended(file: URL, title: String?, byteCount: Int64)
    /// Recording stopped, since it cannot continue; the sentence says why.
    case failed(String)
    /// This many events were lost at this point, since the observer was slow or late; the folder
    /// has the files.
    case missed(Int)
}

extension RecordingEvent: LossyEvent {}
