// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirAudio
import WeirHTTP
import WeirLive
import WeirPlayback
import WeirSource

/// Finds out what is to be played at a place, and opens folders and lists on the way.
struct PlaceFinder {
    /// How deep lists may name lists.
    static let deepest = 3

    let queue: PlayQueue
    /// The origins that the command line names: they, and no other, are told its headers.
    private let origins: [OriginURL]

    init(_ queue: PlayQueue, origins: [OriginURL]) {
        self.queue = queue
        self.origins = origins
    }

    var library: MediaLibrary { self.queue.library }

    /// What a URL is, by asking it.
    ///
    /// - Parameters:
    ///   - url: with a path.
    ///   - isFirst: whether it is played at once, so that a connection to a station is worth keeping.
    ///   - depth: how many lists led here.
    /// - Returns: one thing, or those of the list or folder that it is.
    /// - Throws: ``CommandError``, `SourceError`.
    func asked(_ url: String, isFirst: Bool, _ depth: Int) async throws -> [PlayThing] {
        let place = try self.place(url)
        let media = try place.thing.media(in: self.library)
        var inquiry = URLInquiry(
            URLInquiry.Facts(
                name: AudioName(path: place.url.path),
                isFile: self.queue.opening.given.decryption != nil
                    || self.library.options.isOffline || !media.availability().held.isEmpty
            )
        )
        var answered: AnsweredLine?
        defer { if !isFirst { answered?.abandon() } }
        var failure: (any Error)?
        var step = inquiry.begin()
        while true {
            do {
                switch step {
                case .describe: step = inquiry.described(try await media.describe())
                case .connect:
                    let line = try self.line(place)
                    let answer = try await line.connect(to: .station)
                    answered = AnsweredLine(line, answer: answer)
                    step = inquiry.answered(URLInquiry.Answer(answer))
                case .file:
                    answered?.abandon()
                    return [self.queue.media(media, name: Self.name(of: place.url))]
                case .station(let isAnswered):
                    let kept = isAnswered && isFirst ? answered : nil
                    let line: any StationTransport = try kept ?? self.line(place)
                    return [self.queue.station(line, name: Self.name(of: place.url))]
                case .playlist(let isAnswered):
                    let bytes: [UInt8]
                    if isAnswered, let answered {
                        bytes = try await answered.beginning()
                    } else {
                        bytes = try await PlaylistReading.bytes(of: media)
                    }
                    return try await self.list(bytes, at: place, depth)
                case .folder:
                    return try await self.folder(place.thing, or: failure ?? self.isPage(place.url))
                case .fail: throw failure ?? self.isPage(place.url)
                }
            } catch let error as SourceError where step == .describe || step == .connect {
                failure = error
                step = inquiry.failed(error.code)
            }
        }
    }

    /// What lies at a place that is no plain URL: a file, a folder, a list of a storage.
    ///
    /// - Parameters:
    ///   - thing: the place.
    ///   - depth: how many lists led here.
    /// - Returns: one thing, or those of the list or folder that it is.
    /// - Throws: ``CommandError``, `SourceError`.
    func stored(_ thing: Thing, _ depth: Int) async throws -> [PlayThing] {
        let path = thing.path.isFolder ? nil : thing.path
        if path == nil, !(thing.source is AddressSource) {
            return try await self.folder(thing, or: nil)
        }
        let media = try thing.media(in: self.library)
        let name = AudioName(path: thing.path.name ?? thing.target)
        if name == .playlist, depth < Self.deepest {
            let bytes = try await PlaylistReading.bytes(of: media)
            return try await self.list(bytes, in: thing, depth)
        }
        do {
            try await thing.check(media, in: self.library)
        } catch let error as CommandError {
            // A folder whose name does not say so.
            guard let things = try? await self.folder(thing, or: nil) else { throw error }
            return things
        }
        return [self.queue.media(media, name: thing.path.name ?? thing.display)]
    }

    private func folder(_ thing: Thing, or failure: (any Error)?) async throws -> [PlayThing] {
        var names: [String] = []
        do {
            let storage = try thing.source.storage(in: self.library)
            for try await page in storage.entries(in: thing.path.asFolder) {
                names += page.filter { AudioName($0) == .audio }.map(\.name)
            }
        } catch let error as SourceError {
            throw failure ?? error
        }
        names.sort(by: NaturalOrder.precedes)
        let things: [PlayThing] = names.prefix(PlayQueue.longest).compactMap { name in
            guard let path = try? thing.path.asFolder.appending(name) else { return nil }
            let target = thing.source.target(of: path.asFile)
            guard let media = thing.source.media(for: target[...], in: self.library) else {
                return nil
            }
            return self.queue.media(media, name: name)
        }
        guard !things.isEmpty else {
            throw failure
                ?? CommandError(
                    .content,
                    "\(thing.display) is a folder without sound in it; weir ls \(thing.display) shows what is there."
                )
        }
        return things
    }

    /// A URL in the two ways in which it can be asked.
    struct Place {
        let url: OriginURL
        let thing: Thing
        /// What a station there is told.
        let headers: HTTPHeaderList
        let text: String
    }

    /// The way to a place as a station.
    func line(_ place: Place) throws(SourceError) -> any StationTransport {
        try self.queue.line(place.text, headers: place.headers)
    }

    func place(_ text: String) throws -> Place {
        let url = try OriginURL(text)
        var maker = self.queue.opening.maker(self.library)
        if !self.origins.contains(where: { $0.isSameOrigin(as: url) }) {
            var given = maker.given
            given.headers = HTTPHeaderList()
            given.account = nil
            maker = SourceMaker(
                library: maker.library,
                configuration: maker.configuration,
                surroundings: maker.surroundings,
                given: given
            )
        }
        return Place(
            url: url,
            thing: try maker.thing(text),
            headers: maker.given.headers,
            text: text
        )
    }

    /// How a URL is called until its tags say more: its file name, or its host.
    static func name(of url: OriginURL) -> String {
        let last = url.path.split(separator: "/").last.map(String.init)
        return last?.removingPercentEncoding ?? last ?? url.authority
    }

    private func isPage(_ url: OriginURL) -> CommandError {
        CommandError(
            .content,
            "\(url.display) was to be played, and is neither sound nor a list of it; weir inspect shows what is sent."
        )
    }
}
