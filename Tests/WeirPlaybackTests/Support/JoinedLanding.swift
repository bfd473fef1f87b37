// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

@testable import WeirPlayback

/// A file that was joined from others, of which it is known when each packet is heard.
protocol JoinedFile {
    var bytes: [UInt8] { get }
    /// When the first sample of a packet is heard, in seconds from the beginning of all, by where the packet is.
    var times: [Int64: Double] { get }
    /// How long all of it is heard.
    var seconds: Double { get }
}

/// What a feed gives first of a joined file.
struct JoinedLanding {
    var item: QueuedItem
    /// When the first sample is heard, in truth; `nil` if none is.
    var heard: Double?
    /// The format as it was known then.
    var format: AudioFormat?

    var duration: Double? {
        self.format.flatMap { format in
            format.duration.map { $0.samples.seconds(sampleRate: format.sampleRate) }
        }
    }

    static func land(
        _ file: some JoinedFile,
        at start: Double,
        isHeld: Bool = false,
        source: KeptSource? = nil
    ) async throws -> JoinedLanding? {
        let feed = MediaFeed(
            item: QueuedItem(id: ItemID(number: 1), name: "file"),
            source: source ?? KeptSource(file.bytes, keeps: isHeld),
            start: .seconds(start)
        )
        var landing: JoinedLanding?
        var format: AudioFormat?
        while let entries = try await feed.next() {
            for entry in entries {
                switch entry {
                case .format(let new): format = new
                case .item(let item): landing = JoinedLanding(item: item, format: format)
                case .packet(let packet):
                    guard landing != nil, let format else { break }
                    let trim = packet.trimStart.seconds(sampleRate: format.sampleRate)
                    landing?.heard = file.times[packet.offset].map { $0 + trim }
                    landing?.format = format
                    return landing
                default: break
                }
            }
        }
        return landing
    }
}
