// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A page of the searched stream, as seen in a piece of it.
struct OggPageMark: Hashable, Sendable {
    /// The offset of the page, and when the last packet that ends in the page ends.
    let mark: Bisection.Mark
    /// When the first packet within the page starts; `nil` if the page is not whole in the piece.
    let start: SampleCount?
    /// Whether a search may start at the page: a packet starts and ends in it.
    let isEntry: Bool

    /// The pages of a piece that have a time, in order: those before the border.
    typealias Piece = (pages: [OggPageMark], border: Int64?, hasOthers: Bool)

    /// The pages that have a time, in order, up to the start of another link.
    ///
    /// The checksum of a whole page must fit. If a page continues behind the piece, its header is accepted: pattern
    /// and serial number have 64 bits.
    ///
    /// - Parameters:
    ///   - view: the piece.
    ///   - offset: the offset of the piece in the stream.
    ///   - method: the stream.
    /// - Returns: the pages whose header and segment sizes lie in the piece.
    static func pages(in view: ByteView, at offset: Int64, _ method: OggSeekMethod) -> [OggPageMark]
    {
        self.piece(view, at: offset, method).pages
    }

    /// The same pages, the start of another link, and whether there are pages of other streams.
    static func piece(_ view: ByteView, at offset: Int64, _ method: OggSeekMethod) -> Piece {
        var marks: [OggPageMark] = []
        var hasOthers = false
        var position = 0
        // As in the parser, a credit bounds the time for each byte if headers lie within headers.
        var credit = 16 * view.count
        while let found = view.firstIndex(of: UInt8(ascii: "O"), from: position) {
            position = found + 1
            guard found + OggPageHeader.byteCount <= view.count else { break }
            let rest = view[found..<view.count]
            guard let header = OggPageHeader(rest),
                OggPageHeader.byteCount + header.segmentCount <= rest.count
            else { continue }
            let count = header.pageByteCount(rest)
            let isWhole = count <= rest.count
            if isWhole {
                guard count <= credit else { continue }
                guard OggChecksum.checksum(ofPage: rest[0..<count]) == header.checksum else {
                    credit -= count
                    continue
                }
                position = found + count
                if header.isFirst, offset + Int64(found) > method.first.offset {
                    return (marks, offset + Int64(found), hasOthers)
                }
                if header.serial != method.serial { hasOthers = true }
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
                hasOthers = true
                continue
            }
            marks.append(mark)
            if !isWhole { break }
        }
        return (marks, nil, hasOthers)
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
