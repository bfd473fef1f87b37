// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the pages of an Ogg stream, and recovers from damage.
///
/// The reader accepts a page only if its checksum matches. If no valid page starts at the front,
/// the reader looks for the next bytes with the capture pattern, version and flags of a page. There
/// it computes the checksum, which covers at most one page (65,307 bytes). Each checksum that does
/// not match costs credit. The credit grows with the bytes that are passed, so that headers within
/// headers take at most a constant time for each byte.
struct OggPageReader: Sendable {
    /// The result of a read.
    enum Outcome {
        /// The next page, taken from the window.
        case page(OggPage)
        /// Bytes that were skipped; a page follows, or the end.
        case trouble(AudioStreamFailure)
        /// More bytes are needed, or the stream is over.
        case nothing
    }

    private enum Front {
        case page(OggPageHeader, count: Int)
        case noPage(AudioStreamFailure.Kind)
        case needsMore
        case end
    }

    /// The credit at the start of a stream, and its maximum: enough for many damaged pages.
    private static let maximumCredit = 1 << 20
    /// How much the credit grows with each passed byte.
    private static let creditPerByte = 16

    /// How many more bytes may be covered by checksums that do not match.
    private var credit = Self.maximumCredit
    /// The offset at which the skipped bytes begin, and the kind of trouble with the first of them.
    private var lost: (from: Int64, kind: AudioStreamFailure.Kind)?

    /// Prepares for bytes that do not follow the last ones.
    mutating func discontinued() {
        self.lost = nil
    }

    /// Looks for the next page.
    mutating func read(_ window: inout ByteWindow) -> Outcome {
        while true {
            switch self.front(&window) {
            case .page(let header, let count):
                if let trouble = self.found(at: window.offset) { return .trouble(trouble) }
                let offset = window.offset
                self.gain(count)
                return .page(OggPage(bytes: window.take(count), offset: offset, header: header))
            case .noPage(let kind):
                if self.lost == nil { self.lost = (window.offset, kind) }
                let offset = window.offset
                window.drop(1)
                Self.drop(&window)
                self.gain(Int(window.offset - offset))
            case .needsMore:
                return .nothing
            case .end:
                if let trouble = self.found(at: window.offset) { return .trouble(trouble) }
                return .nothing
            }
        }
    }

    /// Adds to the credit for bytes that were passed.
    private mutating func gain(_ count: Int) {
        self.credit = min(Self.maximumCredit, self.credit + count * Self.creditPerByte)
    }

    private mutating func found(at offset: Int64) -> AudioStreamFailure? {
        guard let lost = self.lost else { return nil }
        self.lost = nil
        return AudioStreamFailure(lost.kind, lost.from..<offset)
    }

    /// Whether a page starts at the front of the window.
    @inline(__always)
    private mutating func front(_ window: inout ByteWindow) -> Front {
        guard let front = window.peek(OggPageHeader.byteCount) else {
            return Self.frontAtEnd(&window)
        }
        guard let header = OggPageHeader(front) else { return .noPage(.garbage) }
        guard let laced = window.peek(OggPageHeader.byteCount &+ header.segmentCount) else {
            return window.isAtEnd ? .noPage(.truncated) : .needsMore
        }
        let count = header.pageByteCount(laced)
        guard let page = window.peek(count) else {
            return window.isAtEnd ? .noPage(.truncated) : .needsMore
        }
        guard count <= self.credit else { return .noPage(.badChecksum) }
        guard OggChecksum.checksum(ofPage: page) == header.checksum else {
            self.credit -= count
            return .noPage(.badChecksum)
        }
        return .page(header, count: count)
    }

    /// The front of the window if it has fewer bytes than a header.
    private static func frontAtEnd(_ window: inout ByteWindow) -> Front {
        guard window.isAtEnd else { return .needsMore }
        guard window.count > 0 else { return .end }
        let view = window.peek(upTo: 4)
        return self.mayStart(view, at: 0) ? .noPage(.truncated) : .noPage(.garbage)
    }

    /// Drops bytes that cannot start a page.
    private static func drop(_ window: inout ByteWindow) {
        while window.count > 0 {
            let view = window.peek(upTo: 1 << 16)
            var index = 0
            while let found = view.firstIndex(of: UInt8(ascii: "O"), from: index) {
                if self.mayStart(view, at: found) {
                    window.drop(found)
                    return
                }
                index = found + 1
            }
            window.drop(view.count)
        }
    }

    /// Whether the bytes are the capture pattern, or its beginning at the end of the view.
    private static func mayStart(_ view: ByteView, at offset: Int) -> Bool {
        let pattern: StaticString = "OggS"
        for index in 0..<min(4, view.count - offset)
        where view[offset + index] != pattern.utf8Start[index] {
            return false
        }
        return true
    }
}
