// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirClouds
import WeirSource

/// A text that is made when it is asked for: what is served, and what a folder holds.
struct ServedText: ByteSource {
    private let type: MediaType?
    private let make: @Sendable () async throws -> String

    /// A text for people; `make` may ask a storage.
    init(_ make: @escaping @Sendable () async throws -> String) {
        self.init(type: "text/plain", make)
    }

    private init(type: String, _ make: @escaping @Sendable () async throws -> String) {
        self.type = MediaType(headerValue: type)
        self.make = make
    }

    /// A playlist of titles and addresses.
    ///
    /// These are relative to the playlist's own, so that it holds under every name of this machine; they begin with a name
    /// whose colons are encoded, since one would make a scheme of what stands before it.
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
        // A type has no charset here; the mark tells a browser that it is UTF-8.
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        let bytes = Array((isPlain ? text : "\u{FEFF}\(text)").utf8)
        let resource = ResourceDescription(
            length: Int64(bytes.count),
            mediaType: self.type,
            acceptsRanges: true
        )
        guard demand.pin?.agrees(with: resource) != false else {
            throw SourceError(.changed, "What is listed has changed; ask for it again.")
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

/// A chunk, and the end.
private final class OneChunk: ChunkProducer {
    private let chunk: Mutex<ByteChunk?>

    init(_ chunk: ByteChunk) { self.chunk = Mutex(chunk) }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        return self.chunk.withLock { $0.take() }
    }

    func cancel() { self.chunk.withLock { $0 = nil } }
}

/// The folder of a web server that was named: what the server sends there or, where it sends no media, a text.
struct WebFolder: ByteSource {
    let base: Media
    let text: ServedText

    func describe() async throws -> ResourceDescription {
        try await self.or { try await $0.describe() }
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.or { try await $0.read(demand) }
    }

    private func or<Result>(_ ask: (any ByteSource) async throws -> Result) async throws -> Result {
        let codes: [SourceError.Code] = [.notMedia, .forbidden, .notFound]
        do {
            return try await ask(self.base)
        } catch let error as SourceError where codes.contains(error.code) {
            return try await ask(self.text)
        }
    }

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try await self.base.isUnchanged(pin)
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? { self.base.residentSlice(range) }

    func openHeld() async { await self.base.openHeld() }

    var timeSinceConfirmation: Duration? { self.base.timeSinceConfirmation }

    var currentAvailability: Availability { self.base.currentAvailability }

    var availability: AsyncStream<Availability> { self.base.availability }
}

/// The texts of a server: at its root, and at each folder.
extension MediaReference {
    /// How many entries of a folder are listed.
    private static let mostEntries = 1000

    /// The list of what is served, relative to the root, where it stands; a playlist of it where one is wanted.
    static func list(_ references: [MediaReference], isPlaylist: Bool) -> ServedText {
        let lines = references.map { (path: "\($0.name)\($0.target)", what: $0.display) }
        guard !isPlaylist else {
            return .playlist {
                lines.filter { !$0.path.hasSuffix("/") }
                    .map { (title: $0.what, address: $0.path) }
            }
        }
        let width = lines.map(\.path.count).max() ?? 0
        return ServedText {
            let list = lines.map { line in
                let gap = String(repeating: " ", count: width - line.path.count)
                return "  \(line.path)\(gap)  \(line.what.printableLine)\n"
            }
            return """
                Weir serves, below this address:

                \(list.joined())
                Put the path of a file behind its folder, and give the whole address to a player.
                With ?m3u at its end an address gives a playlist.

                """
        }
    }

    /// What is answered at a path behind the reference's name that is a folder; `nil` for any other path.
    func text(at target: Substring, isPlaylist: Bool) -> ServedText? {
        guard case .media(let location) = self, ServedPath.path(of: target).hasSuffix("/") else {
            return nil
        }
        switch location.source.location {
        case .origin, .webFolder:
            guard ServedPath.path(of: target) == ServedPath.path(of: location.target[...]) else {
                return nil
            }
            let display = location.source.display
            return ServedText {
                """
                This is \(display.printableLine) through weir.

                A web server does not list its folders: put the path of a file behind this address, and give the whole
                to a player.

                """
            }
        case .files(_, .some): return nil
        case .files(let storage, nil):
            return Self.listing(of: storage, in: location.source, target, isPlaylist: isPlaylist)
        case .service(let storage):
            return Self.listing(of: storage, in: location.source, target, isPlaylist: isPlaylist)
        }
    }

    private static func listing(
        of storage: any MediaStorage,
        in source: MediaSource,
        _ target: Substring,
        isPlaylist: Bool
    ) -> ServedText? {
        guard let folder = ServedPath.decoded(target), folder.isFolder else { return nil }
        @Sendable func entries() async throws -> [FolderEntry] {
            var entries: [FolderEntry] = []
            for try await page in storage.entries(in: folder) {
                entries += page
                if entries.count >= Self.mostEntries { break }
            }
            return entries
        }
        guard !isPlaylist else {
            return .playlist {
                try await entries().filter(ProxiedPlaylist.lists).compactMap { entry in
                    guard let path = try? folder.appending(entry.name) else { return nil }
                    let address = source.target(of: path.asFile).split(separator: "/").last ?? ""
                    return (title: entry.name, address: String(address))
                }
            }
        }
        return ServedText {
            let found = try await entries()
            let end =
                found.count < Self.mostEntries ? "" : "… and perhaps more, which weir ls lists.\n"
            let lines = found.map { "\($0.line)\n" }.joined() + end
            return """
                \(lines.isEmpty ? "This folder is empty.\n" : lines)
                Put a name behind this address, and give the whole to a player.
                With ?m3u at its end this address gives a playlist.

                """
        }
    }
}
