// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive

/// Listens to a station from a position on, across its connections.
final class StationFeed: ItemFeed {
    private let item: QueuedItem
    private let listener: StationListener
    private var parser = AudioStreamParser()
    private var titles = ICYTitles()
    private var info: StationInfo?
    private var hasBegun = false
    /// The offset of the next byte in the stream.
    private var offset: Int64 = 0
    /// The title of the next packet, if it is new.
    private var title: PlayerTitle?

    /// - Parameters:
    ///   - item: the item of the entries.
    ///   - listener: the caller cancels it.
    init(item: QueuedItem, listener: StationListener) {
        self.item = item
        self.listener = listener
    }

    func next() async throws -> [QueueEntry]? {
        do {
            guard let piece = try await self.listener.next() else { return nil }
            switch piece {
            case .stretch(let stretch): return self.begin(stretch)
            case .metadata(let metadata):
                self.titles.add(metadata)
                return []
            case .audio(let bytes):
                self.offset += Int64(bytes.count)
                self.parser.push(bytes)
                return self.take()
            }
        } catch let loss as StationLoss {
            throw PlayerFailure(.source, loss.message, cause: loss.cause ?? loss)
        }
    }

    private func begin(_ stretch: StreamStretch) -> [QueueEntry] {
        var entries = self.rest(before: stretch)
        self.info = stretch.info
        self.titles.removeAll()
        self.title = nil
        self.offset = stretch.offset
        if let metadata = stretch.metadata {
            self.title = PlayerTitle(metadata, station: self.stationName)
        }
        let begins = stretch.head.isEmpty ? stretch.offset : stretch.headOffset
        if let container = stretch.container {
            self.parser = AudioStreamParser(container: container, startingAt: begins)
        } else {
            self.parser = AudioStreamParser(
                hint: AudioTypeHint(mediaType: stretch.info.mediaType),
                startingAt: begins
            )
        }
        entries.append(self.hasBegun ? .joint : .item(self.item))
        self.hasBegun = true
        guard !stretch.head.isEmpty else { return entries }
        self.parser.push(stretch.head)
        entries += self.take()
        if stretch.headOffset + Int64(stretch.head.count) != stretch.offset {
            self.parser.jump(to: stretch.offset)
        }
        return entries
    }

    /// The last packet of the previous stretch, which its parser keeps until it sees the next bytes.
    private func rest(before stretch: StreamStretch) -> [QueueEntry] {
        guard self.hasBegun, stretch.cause != .moved else { return [] }
        self.parser.finish()
        return self.take(isEnd: true)
    }

    private func take(isEnd: Bool = false) -> [QueueEntry] {
        var entries: [QueueEntry] = []
        do {
            while let event = try self.parser.next() {
                switch event {
                case .format(let format): entries.append(.format(format))
                case .tags(let tags):
                    if let title = PlayerTitle(tags) { self.title = title.over(self.named) }
                case .trouble(let trouble): entries.append(.trouble(trouble))
                case .wanted: break
                case .packet(let packet): self.add(packet, to: &entries)
                }
            }
        } catch {
            guard !isEnd else { return entries }
            // The station decides whether this is sound at all; the feed tries again from the next bytes on.
            let start = min(error.offset, self.offset)
            entries.append(.trouble(AudioStreamTrouble(.garbage, start..<self.offset)))
            entries.append(.joint)
            self.parser = AudioStreamParser(startingAt: self.offset)
        }
        return entries
    }

    private func add(_ packet: AudioPacket, to entries: inout [QueueEntry]) {
        if let metadata = self.titles.metadata(for: packet),
            let title = PlayerTitle(metadata, station: self.stationName)
        {
            self.title = title
        }
        if let title = self.title {
            entries.append(.title(title))
            self.title = nil
        }
        entries.append(.packet(packet))
    }

    private var stationName: String? { self.info?.headers.name ?? self.item.name }
    private var named: PlayerTitle { PlayerTitle(album: self.stationName) }
}
