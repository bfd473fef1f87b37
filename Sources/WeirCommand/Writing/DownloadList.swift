// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirClouds
import WeirPlayback
import WeirSource

/// The downloads of `weir get` for a name: one medium or, with recursion, all files of a folder or
/// all entries of a playlist.
struct DownloadList {
    /// A medium and its target.
    struct Download: Sendable {
        let media: Media
        /// The decryption; `nil` if the medium is not encrypted.
        let decryption: Decryption?
        /// The location, used to explain errors; `nil` for an entry of a playlist.
        var location: MediaLocation?
        /// The folder that the user named, where links are followed; `nil` for the current folder.
        var root: String?
        /// The folders below the root that lead to the file.
        var folders: [String] = []
        /// The target; `nil` for the name that the origin gives.
        var target: OutputTarget?
        /// The length from the listing of the folder.
        var length: Int64?
        /// The error of the origin, if it was away when the folder was listed.
        var failure: SourceError?

        /// The file's folder, with names as `FolderPath` writes them; `nil` for the current folder.
        var folder: String? {
            let parts = (self.root.map { [EscapedName.text(of: $0.utf8)] } ?? []) + self.folders
            return parts.isEmpty ? nil : parts.joined(separator: "/")
        }

        /// Creates the folder; without force, fails if a link is in the place of a folder.
        ///
        /// - Throws: ``CommandError``.
        func makeFolder(isForced: Bool) throws {
            guard let folder else { return }
            var places: [LocalPath] = []
            for name in self.folders {
                let bytes = EscapedName.bytes(of: name)
                let place =
                    places.last.map { $0.appending(bytes) }
                    ?? self.root.map { LocalPath($0).appending(bytes) } ?? LocalPath(bytes: bytes)
                places.append(place)
                guard !isForced, case .link = FileKind(place) else { continue }
                throw CommandError.usage(
                    "\(place.text) is a link, and weir does not follow it; name another folder with -o, or follow the"
                        + " link with --force."
                )
            }
            let hasRoot = self.root.map { root in
                (try? FileManager.default.createDirectory(
                    atPath: root,
                    withIntermediateDirectories: true
                )) != nil
            }
            let areMade = places.allSatisfy { place in
                place.withCString { mkdir($0, 0o777) } == 0 || FileKind(place).isFolder
            }
            guard hasRoot != false, areMade else {
                throw CommandError.failed(
                    "\(folder) cannot be created; choose another folder with -o."
                )
            }
        }
    }

    /// The largest number of files for a name.
    private static let longest = 100_000

    private let resolver: MediaResolver
    private let names: [String]
    private let folder: String?
    private let isRecursive: Bool
    private let worst: WorstStatus
    private let note: @Sendable (String) -> Void

    /// A list for `names`, with targets in `folder` (`nil`: the current folder).
    ///
    /// `worst` receives the status of skipped entries.
    init(
        of names: [String],
        _ resolver: MediaResolver,
        folder: String?,
        isRecursive: Bool,
        worst: WorstStatus,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.names = names
        self.resolver = resolver
        var path = folder
        while let text = path, text.count > 1, text.hasSuffix("/") {
            path = String(text.dropLast())
        }
        self.folder = path
        self.isRecursive = isRecursive
        self.worst = worst
        self.note = note
    }

    /// The downloads for a name.
    ///
    /// - Throws: ``CommandError``, `SourceError`; `CancellationError`.
    func downloads(of name: String) async throws -> [Download] {
        let location = try await self.resolver.location(name).settled(in: self.resolver.library)
        guard self.isRecursive else { return [try self.download(location)] }
        if ServedPath.isPlaylist(String(ServedPath.path(of: location.target[...]))) {
            let media = try location.media(in: self.resolver.library)
            guard await !HLSFile.isPlaylist(media) else {
                throw HLSFile.notSaved(location.display)
            }
            return try await self.entries(of: name, location)
        }
        if let files = try await self.files(in: location) { return files }
        // The location is not a folder. Its bytes show whether it is a playlist. The download
        // reports a failed description.
        let kind = PathKind(path: location.path.name ?? location.target)
        if location.knownStorage == nil || kind == .unknown {
            let media = try location.media(in: self.resolver.library)
            let description = try? await media.describe()
            guard !media.isPlaylist else { throw HLSFile.notSaved(location.display) }
            if await media.beginsAsPlaylist(ofLength: description?.length) {
                return try await self.entries(of: name, location)
            }
        }
        return [try self.download(location)]
    }

    private func download(_ location: MediaLocation) throws -> Download {
        Download(
            media: try location.media(in: self.resolver.library),
            decryption: location.decryption,
            location: location,
            root: self.folder
        )
    }

    /// The downloads of a folder and its subfolders, into folders of the same names; `nil` if the
    /// location is not a folder.
    private func files(in location: MediaLocation) async throws -> [Download]? {
        let library = self.resolver.library
        let storage = location.storage(in: library, view: .listed)
        do {
            guard try await storage.entry(at: location.path).kind == .folder else { return nil }
        } catch let error as SourceError
            where [.badAnswer, .notFound].contains(error.code)
            && location.knownStorage == nil && !location.target.hasSuffix("/")
        {
            // The path may be a file on a web server that lists nothing for it.
            return nil
        }
        var walk = FolderWalk(storage: storage, limit: Self.longest, note: self.note)
        walk.leaveOut = { self.leaveOut($0, "some servers read its name as an outside path") }
        let files = try await walk.files(in: location.path.asFolder) { _ in true }
        let outage = storage.outage
        if files.count == Self.longest {
            self.note(
                "warning: weir downloads only the first \(Self.longest) files of \(location.display); name its"
                    + " subfolders."
            )
            self.worst.note(.failed)
        }
        if let sentence = outage?.getting {
            self.note("warning: \(sentence)")
            // Without a listing, the number of missing files is unknown.
            if outage?.listed == nil { self.worst.note(.network) }
        }
        let name = location.path.components.last ?? location.folderName
        let top = self.folder == nil ? [FileName.cleaned(listed: name) ?? "download"] : []
        guard !files.isEmpty else {
            throw CommandError.content("\(location.display) is a folder without files.")
        }
        // Compare bytes: two different names may be equal as strings.
        var copies: [[UInt8]: Int] = [:]
        return files.compactMap { file in
            let target = location.target(of: file.path)
            guard let media = location.media(for: target[...], in: library) else {
                self.leaveOut(file.path, "some servers read its name as an outside path")
                return nil
            }
            let folders = file.folders.map { FileName.cleaned(listed: $0) ?? "folder" }
            var download = Download(
                media: media,
                decryption: location.decryption,
                root: self.folder,
                folders: top + folders,
                failure: outage?.error
            )
            var name = OutputTarget(listed: file.entry.name, in: download.folder)
            let first = name.place.bytes
            while let copy = copies[name.place.bytes] {
                guard download.decryption == nil else {
                    self.leaveOut(file.path, "another file has the same safe name")
                    return nil
                }
                // Two files must never have the same target.
                let next = max(copy, copies[first] ?? 1) + 1
                copies[first] = next
                name = OutputTarget(listed: file.entry.name, copy: next, in: download.folder)
            }
            copies[name.place.bytes] = 1
            // A decrypted file gets its name from its content, and is shorter than the listed
            // length.
            if download.decryption == nil {
                (download.target, download.length) = (name, file.entry.length)
            }
            return download
        }
    }

    private func leaveOut(_ path: FolderPath, _ reason: String) {
        self.note("warning: \(path.description.printableLine) is left out, since \(reason).")
        self.worst.note(.failed)
    }

    /// The entries of a playlist, without its stations, which have no end.
    private func entries(of name: String, _ location: MediaLocation) async throws -> [Download] {
        let queue = PlayQueue([name], beside: self.names, self.resolver, note: self.note)
        let items = try await queue.entries()
        self.worst.note(queue.worst.status)
        let downloads: [Download] = items.compactMap { item in
            guard case .media(let source) = item.content, let media = source as? Media else {
                return nil
            }
            return Download(
                media: media,
                decryption: location.decryption,
                root: self.folder
            )
        }
        guard !downloads.isEmpty else {
            throw CommandError.content(
                "\(location.display) names stations only, which have no end; weir play records them with --record."
            )
        }
        return downloads
    }
}
