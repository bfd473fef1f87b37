// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A metadata block of a radio station, which describes the audio after it, usually by a title.
public struct ICYMetadata: Hashable, Sendable {
    /// A key and its text.
    public struct Field: Hashable, Sendable {
        /// The key as written; comparisons ignore its case.
        public var name: String
        /// The text.
        public var value: String
        /// The bytes of the text, to read it in another charset.
        public var rawValue: ByteMemory
    }

    /// The offset of the block in the audio, which does not count the blocks themselves.
    ///
    /// The title belongs to the packet with the audio byte at this offset; if no packet has that
    /// byte, to the next packet.
    public var audioOffset: Int64
    /// The block, without the trailing zeros.
    public var raw: ByteMemory
    /// The keys and texts, in the order of the block.
    public var fields: [Field]

    /// The title; empty if the station currently names no title, `nil` if the block has no such
    /// key.
    public var title: String? { self["StreamTitle"] }

    /// The address that belongs to the title, often of a picture.
    public var url: String? { self["StreamUrl"] }

    /// The text for a key.
    ///
    /// - Parameter name: the key, in any case.
    /// - Returns: `nil` if the block has no such key.
    public subscript(name: String) -> String? {
        self.fields.first { AudioTags.isName($0.name, name) }?.value
    }

    /// Reads a block.
    ///
    ///     StreamTitle='It's; "this"';StreamUrl='http://…';
    ///
    /// There are no escapes. A text ends at the first `'` that is followed by `;`, another key and
    /// `='`; the last text ends at the last `'`, or with the block. White space around keys is
    /// ignored. A text without quotes ends at the next `;`.
    ///
    /// - Parameters:
    ///   - block: the bytes after the length; only those up to the first zero are used.
    ///   - audioOffset: the offset of the block in the audio, which does not count the blocks.
    ///   - charset: the charset of text that is not UTF-8; `nil`: Windows-1252.
    public init(_ block: ByteMemory, audioOffset: Int64, charset: ICYCharset? = nil) {
        let end = block.withView { $0.firstIndex(of: 0) } ?? block.count
        let raw = block[0..<end]
        self.audioOffset = audioOffset
        self.raw = raw
        self.fields = raw.withView { view in
            Self.ranges(view).map { name, value in
                Field(
                    name: view[name].latin1Text,
                    value: ICYCharset.text(of: view[value], override: charset),
                    rawValue: raw[value]
                )
            }
        }
    }
}

extension ICYMetadata {
    /// Finds the keys and texts of a block.
    ///
    /// - Parameter view: at most 4080 bytes, without the trailing zeros.
    /// - Returns: the ranges of each key and its text, without quotes, in their order; other bytes
    ///   are skipped.
    private static func ranges(_ view: ByteView) -> [(name: Range<Int>, value: Range<Int>)] {
        var ranges: [(name: Range<Int>, value: Range<Int>)] = []
        var offset = 0
        while offset < view.count {
            guard let key = Self.key(view, at: offset) else {
                // Skip bytes that are not a key, up to the next `;`.
                guard let next = view.firstIndex(of: UInt8(ascii: ";"), from: offset) else { break }
                offset = next + 1
                continue
            }
            let (value, next) = Self.value(view, at: key.next)
            ranges.append((key.name, value))
            offset = next
        }
        return ranges
    }

    /// A key, and the offset after its `=`.
    private static func key(_ view: ByteView, at offset: Int) -> (name: Range<Int>, next: Int)? {
        let start = Self.afterSpace(view, offset)
        var end = start
        while end < view.count, Self.isKeyPart(view[end]) { end += 1 }
        let equals = Self.afterSpace(view, end)
        guard end > start, equals < view.count, view[equals] == UInt8(ascii: "=") else {
            return nil
        }
        return (start..<end, equals + 1)
    }

    /// A text, and the offset at which to continue.
    private static func value(_ view: ByteView, at offset: Int) -> (Range<Int>, next: Int) {
        guard offset < view.count, view[offset] == UInt8(ascii: "'") else {
            let end = view.firstIndex(of: UInt8(ascii: ";"), from: offset) ?? view.count
            return (offset..<end, end + 1)
        }
        let start = offset + 1
        var quote: Int?
        var index = start
        while let found = view.firstIndex(of: UInt8(ascii: "'"), from: index) {
            quote = found
            let semicolon = Self.afterSpace(view, found + 1)
            if semicolon < view.count, view[semicolon] == UInt8(ascii: ";"),
                let key = Self.key(view, at: semicolon + 1), key.next < view.count,
                view[key.next] == UInt8(ascii: "'")
            {
                return (start..<found, semicolon + 1)
            }
            index = found + 1
        }
        return (start..<(quote ?? view.count), view.count)
    }

    private static func afterSpace(_ view: ByteView, _ offset: Int) -> Int {
        var index = offset
        while index < view.count, view[index] <= UInt8(ascii: " ") { index += 1 }
        return index
    }

    private static func isKeyPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Keeps the titles of a radio station until their packets arrive.
///
/// A title belongs to the packet with the first audio byte after its block; if no packet has that
/// byte, to the next packet. Add titles and packets in the order of the audio.
///
///     case .metadata(let metadata): titles.add(metadata)
///     case .packet(let packet): if let metadata = titles.metadata(for: packet) { … }
public struct ICYTitles: Sendable {
    /// The most titles that wait; another title removes the oldest.
    public static let capacity = 64

    private var waiting: [ICYMetadata] = []

    /// No titles.
    public init() {}

    /// Adds a block, which waits for its packet.
    public mutating func add(_ metadata: ICYMetadata) {
        if self.waiting.count == Self.capacity { self.waiting.removeFirst() }
        self.waiting.append(metadata)
    }

    /// The block that belongs to a packet.
    ///
    /// - Parameter packet: the next packet; its offset counts audio without the blocks.
    /// - Returns: the last block before the packet's end, which describes this packet and later
    ///   ones; `nil` if there is no new block.
    public mutating func metadata(for packet: AudioPacket) -> ICYMetadata? {
        let end = packet.offset.addingReportingOverflow(Int64(packet.payload.count)).partialValue
        guard let next = self.waiting.first, next.audioOffset < end else { return nil }
        let count = self.waiting.prefix { $0.audioOffset < end }.count
        let last = self.waiting[count - 1]
        self.waiting.removeFirst(count)
        return last
    }

    /// Drops the waiting blocks: a new connection counts its audio from 0.
    public mutating func removeAll() {
        self.waiting = []
    }
}
