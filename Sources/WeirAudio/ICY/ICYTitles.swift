// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Keeps the titles of a radio station until the packets come that they belong to.
///
/// A title belongs to the packet that holds the byte of the audio it stands before; where that byte lies in no packet,
/// to the next. Titles and packets are given in the order of the audio.
///
///     case .metadata(let metadata): titles.add(metadata)
///     case .packet(let packet): if let metadata = titles.metadata(for: packet) { … }
public struct ICYTitles: Sendable {
    /// How many titles wait at most; more push out the oldest.
    public static let capacity = 64

    private var waiting: [ICYMetadata] = []

    /// No titles.
    public init() {}

    /// A block has come.
    public mutating func add(_ metadata: ICYMetadata) {
        if self.waiting.count == Self.capacity { self.waiting.removeFirst() }
        self.waiting.append(metadata)
    }

    /// What changes with a packet.
    ///
    /// - Parameter packet: the next packet; its offset is one of the audio without the blocks.
    /// - Returns: what was said last before the packet's end, which goes for it and those behind; `nil`: as before.
    public mutating func metadata(for packet: AudioPacket) -> ICYMetadata? {
        let end = packet.offset.addingReportingOverflow(Int64(packet.payload.count)).partialValue
        guard let next = self.waiting.first, next.audioOffset < end else { return nil }
        let count = self.waiting.prefix { $0.audioOffset < end }.count
        let last = self.waiting[count - 1]
        self.waiting.removeFirst(count)
        return last
    }

    /// Forgets what waits: the connection is a new one, and its audio is counted anew.
    public mutating func removeAll() {
        self.waiting = []
    }
}
