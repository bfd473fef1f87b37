// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A page of the searched stream, as seen in a piece of the stream.
struct OggPageMark: Hashable, Sendable {
    /// The offset of the page, and the end time of the last packet that ends in it.
    let mark: Bisection.Mark
    /// When the first packet within the page starts; `nil` if the page is not whole in the piece.
    let start: SampleCount?
    /// Whether a search may start at the page: a packet starts and ends in it.
    let isEntry: Bool

    /// The facts that a piece shows: its pages that have a time, in order, before the border.
    struct Piece {
        var pages: [OggPageMark] = []
        /// The offset where another link begins.
        var border: Int64?
        /// Whether there are pages of other streams.
        var hasOthers = false
        /// When the last packet of the last whole page ends.
        var end: SampleCount?
        /// Whether the piece ends within a page, and the page before it does not end the stream.
        var isCut = false
    }

    /// The pages that have a time, in order, up to the start of another link.
    ///
    /// The checksum of a whole page must match. If a page continues after the piece, its header is
    /// enough: pattern and serial number have 64 bits.
    ///
    /// - Parameters:
    ///   - view: the piece.
    ///   - offset: the offset of the piece in the stream.
    ///   - method: the stream.
    /// - Returns: the pages whose header and segment sizes are in the piece.
    static func pages(in view: ByteView, at offset: Int64, _ method: OggSeekMethod) -> [OggPageMark]
    {
        self.piece(view, at: offset, method).pages
    }

    /// The same pages, and the other facts about the piece.
    static func piece(_ view: ByteView, at offset: Int64, _ method: OggSeekMethod) -> Piece {
        var piece = Piece()
        var position = 0
        var hasEnded = false
        // As in the parser, a credit bounds the time for each byte, even if headers contain
        // headers.
        var credit = 16 * view.count
        while let found = view.firstIndex(of: UInt8(ascii: "O"), from: position) {
            position = found + 1
            let rest = view[found..<view.count]
            guard found + OggPageHeader.byteCount <= view.count else {
                if Self.beginsPage(rest) { piece.isCut = !hasEnded }
                continue
            }
            guard let header = OggPageHeader(rest) else { continue }
            guard OggPageHeader.byteCount + header.segmentCount <= rest.count else {
                piece.isCut = !hasEnded
                continue
            }
            let count = header.pageByteCount(rest)
            let isWhole = count <= rest.count
            if isWhole {
                guard count <= credit else { continue }
                guard OggChecksum.checksum(ofPage: rest[0..<count]) == header.checksum else {
                    credit -= count
                    continue
                }
                position = found + count
                piece.isCut = false
                if header.isFirst, offset + Int64(found) > method.first.offset {
                    piece.border = offset + Int64(found)
                    return piece
                }
                if header.serial != method.serial {
                    piece.hasOthers = true
                } else {
                    hasEnded = header.isLast
                }
            } else {
                piece.isCut = !hasEnded
            }
            guard header.serial == method.serial, !header.isFirst, let granule = header.granule,
                let mark = self.mark(
                    rest,
                    header,
                    isWhole: isWhole,
                    granule,
                    offset + Int64(found),
                    method.timing
                )
            else { continue }
            guard mark.mark.start.rawValue <= method.total else {
                piece.hasOthers = true
                continue
            }
            piece.pages.append(mark)
            // The piece ends within this page, so the page does not count for the end, whatever its
            // header says.
            guard isWhole else { break }
            piece.end = mark.mark.start
        }
        return piece
    }

    /// Whether bytes, fewer than a page header has, begin a page header.
    private static func beginsPage(_ view: ByteView) -> Bool {
        let pattern = Array("OggS".utf8)
        return (0..<min(view.count, pattern.count)).allSatisfy { view[$0] == pattern[$0] }
    }

    /// The mark of a page, of which the view has at least the header and the segment sizes.
    private static func mark(
        _ view: ByteView,
        _ header: OggPageHeader,
        isWhole: Bool,
        _ granule: Int64,
        _ offset: Int64,
        _ timing: OggTiming
    ) -> OggPageMark? {
        var timing = timing
        var position = OggPageHeader.byteCount + header.segmentCount
        var start = position
        var isContinued = header.isContinued
        var ends = 0
        var own = 0
        var sum: Int64 = 0
        for index in 0..<header.segmentCount {
            let size = Int(view[OggPageHeader.byteCount + index])
            position += size
            guard size < 255 else { continue }
            ends += 1
            if !isContinued {
                own += 1
                if isWhole { sum += timing.duration(of: view[start..<position]) ?? 0 }
            }
            isContinued = false
            start = position
        }
        guard ends > 0 else { return nil }
        let time = timing.time(of: granule)
        return OggPageMark(
            mark: Bisection.Mark(offset: offset, start: SampleCount(time)),
            start: isWhole && own > 0 ? SampleCount(time - sum) : nil,
            isEntry: own > 0 && !header.isLast
        )
    }
}
