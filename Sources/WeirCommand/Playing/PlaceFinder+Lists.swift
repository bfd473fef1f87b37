// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirAudio
import WeirHTTP
import WeirPlayback

extension PlaceFinder {
    func list(_ bytes: [UInt8], at place: Place, _ depth: Int) async throws
        -> [PlayThing]
    {
        let list = try PlaylistReading.parse(bytes, of: place.url.display)
        let entries = list.entries.map { entry in
            (entry, PlaylistPlace(entry.location, from: .url(place.url)))
        }
        // A list of places that have no end is one station, whose line tries them in turn.
        if !entries.isEmpty, entries.allSatisfy({ Self.isStation($0.0, $0.1) }) {
            return [self.queue.station(try self.line(place), name: Self.name(of: place.url))]
        }
        return try await self.queued(entries, of: place.url.display, from: nil, depth)
    }

    func list(_ bytes: [UInt8], in thing: Thing, _ depth: Int) async throws -> [PlayThing] {
        let list = try PlaylistReading.parse(bytes, of: thing.display)
        let base: PlaylistPlace.Base
        if let storage = (thing.source as? StorageSource)?.storage as? FileStorage {
            base = .folder(Self.folder(of: thing.path, in: storage))
        } else {
            base = .storage(thing.path)
        }
        let entries = list.entries.map { ($0, PlaylistPlace($0.location, from: base)) }
        return try await self.queued(entries, of: thing.display, from: thing, depth)
    }

    /// The folder on this computer that a file lies in.
    private static func folder(of path: FolderPath, in storage: FileStorage) -> String {
        ([storage.folder] + path.components.dropLast()).joined(separator: "/")
    }

    /// Whether an entry has no end, as far as its list and its name tell.
    private static func isStation(_ entry: WeirAudio.Playlist.Entry, _ place: PlaylistPlace?)
        -> Bool
    {
        guard case .url(let text) = place, (entry.seconds ?? 0) <= 0,
            let url = try? OriginURL(StationAddress.withPath(text))
        else { return false }
        let name = AudioName(path: url.path)
        return name == .unknown || name == .folder
    }

    private func queued(
        _ entries: [(WeirAudio.Playlist.Entry, PlaylistPlace?)],
        of display: String,
        from thing: Thing?,
        _ depth: Int
    ) async throws -> [PlayThing] {
        var things: [PlayThing] = []
        var left = 0
        for (entry, place) in entries {
            guard things.count < PlayQueue.longest, let place else {
                left += 1
                continue
            }
            do {
                things += try await self.entry(entry, at: place, from: thing, depth + 1)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                left += 1
            }
        }
        if left > 0 {
            self.queue.note(
                "warning: \(left) of the \(entries.count) entries of \(display) cannot be played here and are left out."
            )
        }
        guard !things.isEmpty else {
            throw CommandError(
                .content,
                "\(display) is a list without anything that can be played; weir inspect shows what it names."
            )
        }
        return things
    }

    /// An entry of a list, by its name: nothing is asked before its turn comes.
    private func entry(
        _ entry: WeirAudio.Playlist.Entry,
        at place: PlaylistPlace,
        from thing: Thing?,
        _ depth: Int
    ) async throws -> [PlayThing] {
        var things: [PlayThing]
        switch place {
        case .url(let text):
            let url = StationAddress.withPath(text)
            let found = try self.place(url)
            switch AudioName(path: found.url.path) {
            case .playlist where depth < Self.deepest:
                return try await self.asked(url, isFirst: false, depth)
            case .audio:
                things = [
                    self.queue.media(
                        try found.thing.media(in: self.library),
                        name: Self.name(of: found.url)
                    )
                ]
            default:
                things = [self.queue.station(try self.line(found), name: Self.name(of: found.url))]
            }
        case .path(let path):
            guard let thing else { return [] }
            let target = thing.source.target(of: path)
            things = try await self.stored(
                Thing(source: thing.source, target: target, path: path),
                depth
            )
        case .file(let path):
            let found = try self.queue.opening.maker(self.library).thing(path)
            things = try await self.stored(found, depth)
        }
        if things.count == 1, let title = entry.title, !title.isEmpty {
            things[0].item.name = title
        }
        return things
    }
}
