// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Splits the body of a response with `icy-metaint` into audio and metadata blocks.
///
///     N bytes of audio | a byte L | L × 16 bytes of text, padded with zeros | N bytes of audio | …
///
/// The count starts with the first byte of every body: each connection needs its own demultiplexer,
/// with the interval of its own response. A block of length 0 means that nothing has changed, and
/// is not reported. An audio piece is a view of a pushed chunk, so it ends where the chunk ends, or
/// earlier. The demultiplexer copies each block, at most 4080 bytes.
public struct ICYDemultiplexer: Sendable {
    /// A part of the body.
    public enum Piece: Hashable, Sendable {
        /// Audio, and the offset of its first byte, counted in the audio without the blocks.
        case audio(ByteMemory, offset: Int64)
        /// A block, which describes the audio after it.
        case metadata(ICYMetadata)
    }

    private enum State: Hashable {
        case audio(left: Int)
        case length
        case text(left: Int)
    }

    /// How many bytes of audio are between the blocks.
    public let interval: Int
    /// The charset of text that is not UTF-8; `nil`: Windows-1252.
    public var charset: ICYCharset?
    /// How many bytes of audio have been returned.
    public private(set) var audioOffset: Int64 = 0

    private var state: State
    private var text: [UInt8] = []
    /// The pushed bytes that were not returned yet; a part of the first chunk may already be gone.
    private var chunks: [ByteMemory] = []

    /// A demultiplexer for one body.
    ///
    /// Fails if the interval is not positive: there are then no blocks, and the whole body is
    /// audio.
    ///
    /// - Parameters:
    ///   - interval: the value of `icy-metaint`.
    ///   - charset: the known charset of the station's titles.
    public init?(interval: Int, charset: ICYCharset? = nil) {
        guard interval > 0 else { return nil }
        self.interval = interval
        self.charset = charset
        self.state = .audio(left: interval)
    }

    /// Takes the next bytes of the body, without its transfer coding.
    public mutating func push(_ bytes: ByteMemory) {
        if !bytes.isEmpty { self.chunks.append(bytes) }
    }

    /// The next piece of the pushed bytes.
    ///
    /// - Returns: `nil` when more bytes are needed; an incomplete block at the end of the body is
    ///   dropped.
    public mutating func next() -> Piece? {
        while let chunk = self.chunks.first {
            switch self.state {
            case .audio(let left):
                let count = min(left, chunk.count)
                self.state = left == count ? .length : .audio(left: left - count)
                let offset = self.audioOffset
                self.audioOffset += Int64(count)
                self.drop(count, of: chunk)
                return .audio(chunk[0..<count], offset: offset)
            case .length:
                let count = Int(chunk[0]) * 16
                self.state = count == 0 ? .audio(left: self.interval) : .text(left: count)
                self.drop(1, of: chunk)
            case .text(let left):
                let count = min(left, chunk.count)
                chunk[0..<count].withUnsafeBytes { self.text.append(contentsOf: $0) }
                self.drop(count, of: chunk)
                guard left == count else {
                    self.state = .text(left: left - count)
                    continue
                }
                self.state = .audio(left: self.interval)
                let raw = ByteMemory(self.text)
                self.text = []
                return .metadata(
                    ICYMetadata(raw, audioOffset: self.audioOffset, charset: self.charset)
                )
            }
        }
        return nil
    }

    private mutating func drop(_ count: Int, of chunk: ByteMemory) {
        if count == chunk.count {
            self.chunks.removeFirst()
        } else {
            self.chunks[0] = chunk[count..<chunk.count]
        }
    }
}
