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

    /// - Parameters:
    ///   - item: the item of the entries.
    ///   - listener: the caller cancels it.
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
            case .packets(let sound)?: return sound.packets.map { .packet($0) }
            }
        } catch let loss as StationLoss {
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
        if let format = stretch.format { entries.append(.format(format)) }
        if let metadata = stretch.metadata { entries += self.entries(metadata) }
        if let tags = stretch.tags { entries += self.entries(.tags(tags)) }
        return entries
    }

    private func entries(_ sign: StreamSign) -> [QueueEntry] {
        switch sign {
        case .format(let format): return [.format(format)]
        case .trouble(let trouble): return [.trouble(trouble)]
        case .tags(let tags):
            // A link of an Ogg stream that names no title ends the last one's; ID3 in between says something else.
            let isUntitled = tags.kind == .vorbisComment && tags.pictures.isEmpty
            guard let title = PlayerTitle(tags) ?? (isUntitled ? PlayerTitle() : nil) else {
                return []
            }
            return [.title(title.over(PlayerTitle(album: self.stationName)))]
        }
    }

    private func entries(_ metadata: ICYMetadata) -> [QueueEntry] {
        PlayerTitle(metadata, station: self.stationName).map { [.title($0)] } ?? []
    }
}
