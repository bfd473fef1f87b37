// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

@testable import WeirPlayback

/// A file joined from others, with the known time of each packet.
protocol JoinedFile {
    var bytes: [UInt8] { get }
    /// The time of the first sample of a packet, in seconds from the start of the file, by the
    /// packet's offset.
    var times: [Int64: Double] { get }
    /// The duration of all parts together.
    var seconds: Double { get }
}

/// The first sound that a feed returns of a joined file.
struct JoinedLanding {
    var item: QueuedItem
    /// The true time of the first heard sample; `nil` if no sample is heard.
    var heard: Double?
    /// The format as known at that time.
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
