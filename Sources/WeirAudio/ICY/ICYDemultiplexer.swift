// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parts the body of an answer with `icy-metaint` into audio and what is written between.
///
///     N bytes of audio | a byte L | L × 16 bytes of text, padded with zeros | N bytes of audio | …
///
/// The count starts with the first byte of every body: each connection has a demultiplexer of its own, with the
/// interval of its own answer. Blocks of length 0 mean that nothing changed, and are not reported. The audio that comes
/// out are views of what was pushed; a block is copied, at most 4080 bytes. What comes out does not depend on how
/// the body was cut, but that audio is cut there, too.
public struct ICYDemultiplexer: Sendable {
    /// A part of the body.
    public enum Piece: Hashable, Sendable {
        /// Audio, and where its first byte is in the audio alone, without the blocks.
        case audio(ByteMemory, offset: Int64)
        /// What a block says of the audio behind it.
        case metadata(ICYMetadata)
    }

    private enum State: Hashable {
        case audio(left: Int)
        case length
        case text(left: Int)
    }

    /// How many bytes of audio stand between the blocks.
    public let interval: Int
    /// How text is read that is not UTF-8; `nil`: as Windows-1252.
    public var charset: ICYCharset?
    /// How many bytes of audio have come out.
    public private(set) var audioOffset: Int64 = 0

    private var state: State
    private var text: [UInt8] = []
    /// What has been pushed and not taken; the first is begun.
    private var chunks: [ByteMemory] = []

    /// A demultiplexer for one body.
    ///
    /// Fails if the interval is not positive: then there are no blocks, and the body is all audio.
    ///
    /// - Parameters:
    ///   - interval: what `icy-metaint` says.
    ///   - charset: what is known of the station's titles.
    public init?(interval: Int, charset: ICYCharset? = nil) {
        guard interval > 0 else { return nil }
        self.interval = interval
        self.charset = charset
        self.state = .audio(left: interval)
    }

    /// The next bytes of the body, without its transfer coding.
    public mutating func push(_ bytes: ByteMemory) {
        if !bytes.isEmpty { self.chunks.append(bytes) }
    }

    /// The next part of what was pushed.
    ///
    /// - Returns: `nil` when more bytes are needed; at the end of the body, what is left of a block is no more.
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
