// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

@testable import WeirAudio

/// Reads all tags of a stream; it skips bytes that are not a tag one by one.
struct TagWalk: Equatable {
    var events: [AudioStreamEvent] = []
    /// The offsets at which no tag starts.
    var others: [Int64] = []

    var tags: [AudioTags] {
        self.events.compactMap { if case .tags(let tags) = $0 { tags } else { nil } }
    }

    var troubles: [AudioStreamFailure.Kind] {
        self.events.compactMap { if case .trouble(let trouble) = $0 { trouble.kind } else { nil } }
    }

    /// - Parameters:
    ///   - bytes: the stream.
    ///   - limits: how much the reader keeps.
    ///   - sizes: gives the size of the next chunk, at least 1.
    init(
        _ bytes: [UInt8],
        limits: AudioStreamLimits = AudioStreamLimits(),
        sizes: () -> Int = { .max }
    ) {
        var reader = TagReader(limits: limits, length: nil)
        var window = ByteWindow()
        var position = 0
        while true {
            switch reader.read(&window) {
            case .found(let event): self.events.append(event)
            case .none where window.count > 0:
                self.others.append(window.offset)
                window.drop(1)
            case .none: return
            case .needsMore:
                // At the end the reader must not ask for more bytes, or this loop would never end.
                if window.isAtEnd {
                    self.others.append(-1)
                    return
                }
                guard position < bytes.count else {
                    window.finish()
                    continue
                }
                let size = max(1, min(sizes(), bytes.count - position))
                window.push(ByteMemory(copying: bytes[position..<position + size]))
                position += size
            }
        }
    }
}
