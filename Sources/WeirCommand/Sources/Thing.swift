// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A THING that was looked up: where it is, and what it is called there.
struct Thing: Sendable {
    let source: any ServedSource
    /// Path and query, as players see them behind the source's name.
    let target: String
    /// The same as a path of the storage.
    let path: FolderPath
    /// What was written, where that is a path of this machine.
    var given: String?
    /// What of the source players may open.
    var scope = ThingScope.source

    /// The medium.
    ///
    /// - Throws: ``CommandError`` with `usage` where a folder was named, or what some servers take for a way out of it.
    func media(in library: MediaLibrary) throws -> Media {
        if let media = self.source.media(for: self.target[...], in: library) { return media }
        guard ServedPath.climbs(ServedPath.path(of: self.target[...])) else { throw self.isFolder }
        throw CommandError(
            .usage,
            "\(self.display) leads out of its folder in what some servers read into it, and is not asked for; name a"
                + " file of the folder as weir ls lists it."
        )
    }

    /// How it is called in sentences.
    var display: String {
        if let given { return given }
        guard let origin = self.source as? OriginSource else {
            return "\(self.source.name):\(self.path)"
        }
        return origin.display
    }

    /// Asks the storage, before a player is started, whether there is a file; what is held already is played whatever the
    /// storage says, and what cannot be asked is left to the player.
    ///
    /// - Throws: `SourceError` or ``CommandError`` for a folder, for what is not there, and for what must not be read.
    func check(_ media: Media, in library: MediaLibrary) async throws {
        guard !(self.source is OriginSource), !(self.source is AddressSource),
            !library.options.isOffline, media.availability().held.isEmpty
        else { return }
        do {
            let entry = try await self.source.storage(in: library).entry(at: self.path)
            guard entry.kind == .folder else { return }
            throw self.isFolder
        } catch let error as SourceError {
            guard [.notFound, .forbidden, .unauthorized, .throttled].contains(error.code)
            else {
                return
            }
            throw error
        }
    }

    private var isFolder: CommandError {
        CommandError(
            .usage,
            "\(self.display) is a folder, which cannot be played or copied as a file; weir ls \(self.display) shows what"
                + " is in it."
        )
    }

    /// The error to show for one that a reading brought: what is a folder is said to be one.
    func explained(_ error: any Error, in library: MediaLibrary) async -> any Error {
        guard let failure = error as? SourceError,
            [.notMedia, .forbidden, .notFound, .badAnswer, .rangeNotSatisfiable].contains(
                failure.code
            ), !(self.source is OriginSource), !(self.source is AddressSource),
            let storage = try? self.source.storage(in: library),
            let entry = try? await storage.entry(at: self.path), entry.kind == .folder
        else { return error }
        return self.isFolder
    }
}
