// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirClouds
import WeirHTTP
import WeirSource

/// A text that is made for each request, such as a list of references or of a folder.
struct ServedText: ByteSource {
    private let type: MediaType?
    private let make: @Sendable () async throws -> String

    /// A text for people; `make` may send requests to a storage.
    init(_ make: @escaping @Sendable () async throws -> String) {
        self.init(type: "text/plain", make)
    }

    /// An HTML page of links.
    static func page(_ make: @escaping @Sendable () async throws -> FolderIndexPage) -> ServedText {
        ServedText(type: "text/html") { try await make().html }
    }

    private init(type: String, _ make: @escaping @Sendable () async throws -> String) {
        self.type = MediaType(headerValue: type)
        self.make = make
    }

    /// A playlist of titles and addresses.
    ///
    /// The addresses are relative to the playlist's URL, so the playlist works under every name of
    /// this machine. The first component of an address has no unencoded colon: a player would read
    /// the text before it as a URL scheme.
    static func playlist(
        _ make: @escaping @Sendable () async throws -> [(title: String, address: String)]
    ) -> ServedText {
        ServedText(type: "audio/x-mpegurl") {
            let entries = try await make()
            let lines = entries.flatMap(ProxiedPlaylist.lines(title:address:))
            return ([ProxiedPlaylist.header] + lines).map { "\($0)\n" }.joined()
        }
    }

    func describe() async throws -> ResourceDescription { try await self.read(.whole).resource }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let text = try await self.make()
        // The type has no charset. A byte order mark shows a browser that a text is UTF-8; an HTML
        // page declares it.
        let isPlain = self.type == .html || text.utf8.allSatisfy { $0 < 0x80 }
        let bytes = Array((isPlain ? text : "\u{FEFF}\(text)").utf8)
        let resource = ResourceDescription(
            length: Int64(bytes.count),
            mediaType: self.type,
            acceptsRanges: true
        )
        guard demand.version?.agrees(with: resource) != false else {
            throw SourceError(.changed, "The listing has changed; request it again.")
        }
        guard let range = demand.range.resolved(inLength: Int64(bytes.count)) else {
            throw SourceError.pastTheEnd(demand.range, length: Int64(bytes.count))
        }
        guard !range.isEmpty else { return .empty(resource, at: range.lowerBound) }
        let part = ByteMemory(copying: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        return ByteReading(
            resource: resource,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: OneChunk(ByteChunk(at: range.lowerBound, memory: part))
        )
    }
}

/// One chunk, then the end.
private final class OneChunk: ChunkProducer {
    private let chunk: Mutex<ByteChunk?>

    init(_ chunk: ByteChunk) { self.chunk = Mutex(chunk) }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        return self.chunk.withLock { $0.take() }
    }

    func cancel() { self.chunk.withLock { $0 = nil } }
}

/// A web server's folder: the server's own medium at this URL, or else a text.
///
/// The text replaces the medium if the server sends no medium, or cannot be reached.
struct WebFolder: ByteSource {
    let base: Media
    /// The listing, or the reason why the folder cannot be listed.
    let text: ServedText
    /// The listing only, which may come from the cache.
    let listing: ServedText
    let state: OriginState

    func describe() async throws -> ResourceDescription {
        try await self.or { try await $0.describe() }
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.or { try await $0.read(demand) }
    }

    private func or<Result>(_ ask: (any ByteSource) async throws -> Result) async throws -> Result {
        // Shortly after an outage, use the cached listing without a request, as for other folders.
        if self.state.recentFailure != nil, let listed = try? await ask(self.listing) {
            return listed
        }
        let codes: [SourceError.Code] = [.notMedia, .forbidden, .notFound]
        do {
            return try await ask(self.base)
        } catch let error as SourceError where codes.contains(error.code) {
            return try await ask(self.text)
        } catch let error as SourceError where OriginState.isOutage(error) {
            self.state.note(error)
            do {
                return try await ask(self.listing)
            } catch is SourceError {
                throw error
            }
        }
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.base.isUnchanged(version)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? { self.base.residentSlice(range) }

    func openHeld() async { await self.base.openHeld() }

    var timeSinceConfirmation: Duration? { self.base.timeSinceConfirmation }

    var availability: Availability { self.base.availability }

    func availabilityChanges() -> AsyncStream<Availability> { self.base.availabilityChanges() }
}

/// The texts of a server: the list at its root, and a listing for each folder.
extension MediaReference {
    /// The list of references, with paths relative to the root.
    static func list(_ references: [MediaReference]) -> ServedText {
        let lines = references.map { (path: "\($0.name)\($0.target)", what: $0.display) }
        let width = lines.map(\.path.count).max() ?? 0
        return ServedText {
            let list = lines.map { line in
                let gap = String(repeating: " ", count: width - line.path.count)
                return "  \(line.path)\(gap)  \(line.what.printableLine)\n"
            }
            return """
                Weir serves, below this address:

                \(list.joined())
                Append the path of a file to its folder, and give the whole address to a player.
                An address with ?m3u at its end returns a playlist.

                """
        }
    }

    /// A playlist of all references, relative to the root; a folder that cannot be listed is left
    /// out.
    static func playlist(_ references: [MediaReference], in library: MediaLibrary) -> ServedText {
        .playlist {
            var entries: [(title: String, address: String)] = []
            for reference in references {
                let path = "\(reference.name)\(reference.target)"
                guard path.hasSuffix("/") else {
                    entries.append((title: reference.display, address: path))
                    continue
                }
                guard let folder = reference.folder(at: reference.target[...]) else { continue }
                entries += ((try? await folder.files(in: library).entries) ?? []).map {
                    (title: $0.title, address: "\(path)\($0.address)")
                }
            }
            return entries
        }
    }

    /// The source for a folder's path after the reference's name; `nil` for any other path.
    ///
    /// `media` is the medium of a web server at that path.
    func folder(
        at target: Substring,
        isPlaylist: Bool,
        over media: Media?,
        in library: MediaLibrary
    ) -> (any ByteSource)? {
        guard let folder = self.folder(at: target) else { return nil }
        guard !isPlaylist else {
            return ServedText.playlist { try await folder.files(in: library).entries }
        }
        let text = self.text(of: folder, at: target, in: library)
        guard let media else { return text }
        return WebFolder(
            base: media,
            text: text,
            listing: .page { try await folder.listing(in: library) },
            state: folder.state
        )
    }

    /// The listing of a folder, or the reason why a web server does not list it.
    private func text(
        of folder: MediaLocation,
        at target: Substring,
        in library: MediaLibrary
    ) -> ServedText {
        // At the URL that Weir prints, a page shows every error of the origin.
        let isPrinted = ServedPath.path(of: target) == ServedPath.path(of: self.target[...])
        return .page {
            do {
                return try await folder.listing(in: library)
            } catch let error as SourceError
                where folder.knownStorage == nil
                && (isPrinted || error.code == .badAnswer)
            {
                // A web server may serve a folder's files without listing them.
                var page = FolderIndexPage()
                page.add("This is \(folder.placeDisplay.printableLine) through weir.\n")
                page.add("\(error)")
                page.add(
                    "Append the path of a file to this address, and give the whole address to a player."
                )
                return page
            }
        }
    }

    /// The folder at a target; `nil` if there is no folder that may be served.
    private func folder(at target: Substring) -> MediaLocation? {
        let path = ServedPath.path(of: target)
        guard case .media(let location) = self, path.hasSuffix("/"),
            !location.servesOnlyNamed || ServedPath.opens(path, named: location.target)
        else { return nil }
        if case .files(_, .some) = location.place { return nil }
        return location.path(of: path).map(location.at)
    }

    /// Checks the playlist of a folder before a player starts.
    ///
    /// - Returns: sentences about skipped files, and about an origin that cannot be reached.
    /// - Throws: ``CommandError`` with `usage` if the playlist is empty; the errors of the storage.
    func checkPlaylist(in library: MediaLibrary) async throws -> [String] {
        guard case .media(let location) = self, let folder = self.folder(at: self.target[...])
        else { return [] }
        let (entries, encryptedCount, outage) = try await folder.files(in: library)
        let encrypted = location.encryptedFiles(encryptedCount)
        guard entries.isEmpty else { return [encrypted, outage].compactMap(\.self) }
        throw CommandError.usage(
            encrypted
                ?? "\(location.display) is a folder without playable files; weir ls \(location.display) lists its"
                + " files."
        )
    }
}

/// The texts of a folder that is served to players.
extension MediaLocation {
    /// The largest number of entries in a listing and in a playlist.
    private static let mostEntries = 1000
    /// How many skipped names are shown.
    private static let mostLeftOut = 10

    /// The entries, each on a line with a link.
    fileprivate func listing(in library: MediaLibrary) async throws -> FolderIndexPage {
        let storage = self.storage(in: library, view: .listed)
        var page = FolderIndexPage()
        var entries: [FolderEntry] = []
        var leftOut: [String] = []
        var leftOutCount = 0
        let folder = ListedFolder(storage: storage, path: self.path) { path in
            leftOutCount += 1
            if leftOutCount <= Self.mostLeftOut { leftOut.append(ListedFolder.leftOut(path)) }
        }
        try await folder.read { entry, _ in
            entries.append(entry)
            return entries.count < Self.mostEntries
        }
        // The outage is known only after the folder was read.
        if let sentence = storage.outage?.listing { page.add("\(sentence)\n") }
        for entry in entries { page.add(entry) }
        for line in leftOut { page.add(line) }
        if entries.isEmpty, leftOut.isEmpty { page.add("This folder is empty.") }
        if entries.count >= Self.mostEntries {
            page.add("… and perhaps more, which weir ls lists.")
        }
        if leftOutCount > Self.mostLeftOut {
            page.add("… and \(leftOutCount - Self.mostLeftOut) more names are left out.")
        }
        page.add("\nThis address with ?m3u at its end returns a playlist.")
        return page
    }

    /// The playable files of the folder and its subfolders, with relative addresses.
    ///
    /// Also returns the number of encrypted files without decryption settings, and a sentence about
    /// an outage.
    fileprivate func files(in library: MediaLibrary) async throws -> (
        entries: [(title: String, address: String)], encryptedCount: Int, outage: String?
    ) {
        let storage = self.storage(in: library, view: .held)
        let walk = FolderWalk(storage: storage, limit: Self.mostEntries, note: { _ in })
        let isDecrypted = self.isEncrypted
        var encryptedCount = 0
        let files = try await walk.files(in: self.path) { entry in
            if !isDecrypted, entry.isEncrypted { encryptedCount += 1 }
            return entry.isPlayable(isDecrypted: isDecrypted)
        }
        let outage = storage.outage
        if files.isEmpty, let outage { throw outage.error }
        let entries = files.map { file in
            let names = file.folders + [file.entry.name]
            let address = names.map { PercentCoding.component(FolderPath.bytes(ofName: $0)) }
            return (title: file.entry.name, address: address.joined(separator: "/"))
        }
        return (entries, encryptedCount, outage?.playing(files.map(\.path)))
    }
}
