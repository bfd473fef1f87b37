// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive

/// Listens to a station from a position on, across its connections.
final class StationFeed: ItemFeed {
    private let item: QueuedItem
    private let listener: StationListener
    private var stationName: String?
    private var hasBegun = false
    /// The titles of the stream's parts from tags; the station's own metadata is not a tag.
    private var titles = TitleSequence()
    /// The section of the last format.
    private var section: Int?

    /// A feed of a listener.
    ///
    /// - Parameters:
    ///   - item: the item of the entries.
    ///   - listener: the listener, which the caller cancels.
    init(item: QueuedItem, listener: StationListener) {
        self.item = item
        self.listener = listener
    }

    func next() async throws -> [QueueEntry]? {
        do {
            switch try await self.listener.nextSound() {
            case nil: return nil
            case .stretch(let stretch)?: return self.begin(stretch)
            case .sign(let sign)?: return self.entries(sign)
            case .metadata(let metadata)?: return self.entries(metadata)
            case .packets(let sound)?:
                let packets = sound.packets.map { QueueEntry.packet($0) }
                guard !packets.isEmpty, let title = self.titles.passedPacket() else {
                    return packets
                }
                return [.title(title.over(PlayerTitle(album: self.stationName)))] + packets
            }
        } catch let loss as StationError {
            throw PlayerFailure(.source, loss.message, cause: loss.cause ?? loss)
        }
    }

    private func begin(_ stretch: StreamStretch) -> [QueueEntry] {
        self.stationName = stretch.info.headers.name ?? self.item.name
        defer { self.hasBegun = true }
        var entries: [QueueEntry] = [self.hasBegun ? .joint : .item(self.item)]
        if stretch.cause == .fellBehind, stretch.gap > .zero {
            entries.append(.skipped(stretch.gap))
        }
        self.titles = TitleSequence()
        self.section = nil
        if let format = stretch.format { entries += self.entries(.format(format)) }
        if let metadata = stretch.metadata { entries += self.entries(metadata) }
        if let tags = stretch.tags { self.read(tags) }
        return entries
    }

    private func entries(_ sign: StreamSign) -> [QueueEntry] {
        switch sign {
        case .format(let format):
            if let section = self.section, section != format.section { self.titles.beganPart() }
            self.section = format.section
            return [.format(format)]
        case .trouble(let trouble): return [.trouble(trouble)]
        case .tags(let tags):
            self.read(tags)
            return []
        }
    }

    /// Reads tags.
    ///
    /// An ID3 tag within a station's stream may contain no title; such a tag does not end a title.
    private func read(_ tags: AudioTags) {
        if tags.kind != .id3v2 || PlayerTitle(tags) != nil { self.titles.read(tags) }
    }

    private func entries(_ metadata: ICYMetadata) -> [QueueEntry] {
        guard let title = PlayerTitle(metadata, station: self.stationName) else { return [] }
        // The title applies until the station sends another one, even if a new part of its stream
        // begins.
        self.titles = TitleSequence()
        return [.title(title)]
    }
}
