// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes what a listener of a station hears to files, split at titles.
///
/// Give it every piece in its order. The bytes are the station's own, nothing is coded anew; a file begins where a
/// packet begins and ends where one ends:
///
/// - MPEG audio and ADTS are cut at the packet that a new title belongs to, and go on over a new connection with the
///   same title.
/// - Ogg is cut where a logical stream begins, native FLAC there and at titles, each file with its header.
/// - What was heard before the first title changed, and after the last did, is kept, too: the first file begins in
///   the middle of a piece, mostly, and the last ends in one. Their names say nothing of it.
///
/// Files are called `01 Artist - Title.mp3`, in the order of the recording, with the station's name where there is no
/// title. While one is written it has `.part` behind its name; it can be played, and is what a crash leaves. Nothing
/// that is in the folder is replaced unless that is asked for: a name that is taken gets a number.
///
/// Writing is done in ``take(_:)``, by its caller. What fails ends the recording with
/// ``RecordingEvent/failed(_:)``, and nothing else: the file that was being written is kept up to its last packet.
package final class RecordingWriter: Sendable {
    private struct State: ~Copyable {
        var machine: RecordingMachine
        var open: (file: OpenRecording, name: RecordingFile, byteCount: Int64)?
        var isOver = false
    }

    /// What the recording is of.
    package let station: String
    private let folder: RecordingFolder
    private let make: @Sendable (RecordingFile) throws(RecordingError) -> OpenRecording
    /// The newest events are told to late listeners, too.
    private let broadcast = Broadcast<RecordingEvent>(capacity: 256, replaying: 256)
    /// Files are written under the lock: there is one writer, and the call that ends the recording waits for it.
    private let state: Mutex<State>

    /// A recording into a folder.
    ///
    /// - Parameters:
    ///   - folder: where the files go; it is made if it does not exist, what it is in must.
    ///   - station: the station's name, for files without title.
    ///   - isReplacing: whether a file or a link of an earlier recording that has the same name is replaced, when the new
    ///     one is whole.
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

    /// A recording whose files are made in another way, under the names that the folder has for them.
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

    /// What happens, the newest 256 events that happened before included; ends with the recording.
    package func events() -> AsyncStream<RecordingEvent> { self.broadcast.events() }

    /// Whether the recording has ended, by itself or by ``finish()``.
    package var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Writes what the listener got next; after the end it is passed over.
    ///
    /// What comes before the first stretch is passed over, too: begin in mid-stream with a stretch that
    /// was made for the place, since Ogg and FLAC cannot be joined without its header.
    package func take(_ sound: StationSound) {
        self.state.withLock { state in
            guard !state.isOver else { return }
            self.perform(state.machine.take(sound), &state)
        }
    }

    /// Ends the recording: the file that is written ends with its last whole packet, and gets its name.
    ///
    /// Any number of times.
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
            // What is written can be played; if even that fails, the .part stays.
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

/// The sound of a station for one listener: what recordings are made of.
protocol StationSounds: Sendable {
    /// As ``StationListener/nextSound()``.
    func nextSound() async throws -> StationSound?
    /// As ``StationListener/cancel()``.
    func cancel()
}

extension StationListener: StationSounds {}
