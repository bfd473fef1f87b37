// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the sound of a station to files, split at titles.
///
/// Pass it every piece, in order. The files contain the station's own bytes, without recoding. A
/// file begins at the start of a packet and ends at the end of one:
///
/// - MPEG audio and ADTS are cut at the packet where a new title begins. A new connection with the
///   same title continues the file.
/// - Ogg is cut where a logical stream begins. Native FLAC is also cut at titles. Each file has its
///   header.
/// - The sound before the first change of title and after the last one is kept, too. So the first
///   file usually begins in the middle of a piece of music, and the last file ends in one. Their
///   names do not show this.
///
/// Files have names such as `01 Artist - Title.mp3`, in the order of the recording. The station's
/// name replaces a missing title. While a file is written, its name ends with `.part`; it can be
/// played, and it stays after a crash. Nothing in the folder is replaced unless the user asks for
/// that: a file whose name is taken gets a number.
///
/// ``take(_:)`` writes in its caller's context. A failure only ends the recording, with
/// ``RecordingEvent/failed(_:)``: the open file is kept up to its last packet.
package final class RecordingWriter: Sendable {
    private struct State: ~Copyable {
        var machine: RecordingMachine
        var open: (file: OpenRecording, name: RecordingFile, byteCount: Int64)?
        var isOver = false
    }

    /// The name of the recorded station.
    package let station: String
    private let folder: RecordingFolder
    private let make: @Sendable (RecordingFile) throws(RecordingError) -> OpenRecording
    /// New listeners also get the newest events.
    private let broadcast = Broadcast<RecordingEvent>(capacity: 256, replaying: 256)
    /// Files are written under the lock: there is one writer, and the call that ends the recording
    /// waits for it.
    private let state: Mutex<State>

    /// A recording into a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder for the files; it is created if it does not exist, and its parent
    ///     must exist.
    ///   - station: the station's name, for files without a title.
    ///   - isReplacing: whether a file or a link of an earlier recording with the same name is
    ///     replaced when the new file is complete.
    /// - Throws: ``RecordingError`` if the folder cannot be made or written to.
    package convenience init(
        folder: String,
        station: String,
        isReplacing: Bool = false
    ) throws(RecordingError) {
        let folder = try RecordingFolder(folder, isReplacing: isReplacing)
        self.init(folder, station: station) { (file) throws(RecordingError) in
            try folder.make(file, station: station)
        }
    }

    /// A recording that creates its files with `make`, under names that the folder chooses.
    init(
        _ folder: RecordingFolder,
        station: String,
        make: @escaping @Sendable (RecordingFile) throws(RecordingError) -> OpenRecording
    ) {
        self.station = station
        self.folder = folder
        self.make = make
        self.state = Mutex(State(machine: RecordingMachine()))
    }

    /// The events of the recording, with the newest 256 earlier events; the stream ends with the
    /// recording.
    package func events() -> AsyncStream<RecordingEvent> { self.broadcast.events() }

    /// Whether the recording has ended, after a failure or by ``finish()``.
    package var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Writes the listener's next piece; after the end it does nothing.
    ///
    /// Pieces before the first stretch are ignored, too. To begin in mid-stream, first pass a
    /// stretch made for that position: Ogg and FLAC need its header.
    package func take(_ sound: StationSound) {
        self.state.withLock { state in
            guard !state.isOver else { return }
            self.perform(state.machine.take(sound), &state)
        }
    }

    /// Ends the recording: the open file ends with its last complete packet, and gets its name.
    ///
    /// May be called any number of times.
    package func finish() {
        self.state.withLock { state in
            guard !state.isOver else { return }
            self.perform(state.machine.finish(), &state)
            state.isOver = true
        }
        self.broadcast.finish()
    }

    private func perform(_ steps: [RecordingStep], _ state: inout State) {
        do throws(RecordingError) {
            for step in steps {
                switch step {
                case .begin(let name):
                    let file = try self.make(name)
                    state.open = (file, name, 0)
                    self.broadcast.tell(.began(file: Self.url(file.path), title: name.title))
                case .write(let bytes):
                    guard let open = state.open else { continue }
                    try open.file.write(bytes, at: open.byteCount)
                    state.open?.byteCount += Int64(bytes.count)
                case .end: try self.endFile(&state)
                }
            }
        } catch {
            state.isOver = true
            // The written part can be played; if even ending the file fails, the `.part` stays.
            do throws(RecordingError) { try self.endFile(&state) } catch {}
            self.broadcast.tell(.failed(error.message))
            self.broadcast.finish()
        }
    }

    private func endFile(_ state: inout State) throws(RecordingError) {
        guard let open = state.open else { return }
        state.open = nil
        guard open.byteCount > 0 else { return self.folder.discard(open.file.path) }
        let path = try self.folder.keep(open.file.path, open.name, station: self.station)
        self.broadcast.tell(
            .ended(file: Self.url(path), title: open.name.title, byteCount: open.byteCount)
        )
    }

    private static func url(_ path: String) -> URL {
        URL(filePath: path, directoryHint: .notDirectory)
    }

    deinit {
        self.finish()
    }
}

/// The sound of a station for one listener: the source of recordings.
protocol StationSounds: Sendable {
    /// The next sound, as in ``StationListener/nextSound()``.
    func nextSound() async throws -> StationSound?
    /// Ends the sound, as in ``StationListener/cancel()``.
    func cancel()
}

extension StationListener: StationSounds {}
