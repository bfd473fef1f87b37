// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Packets in Ogg pages.
extension RecordingMachine {
    /// A packet of sound was found.
    mutating func found(_ packet: RingPacket) {
        self.open(pagesTo: packet.offset)
        if let title = self.nextTagTitle {
            self.tagTitle = title
            self.nextTagTitle = nil
        }
        guard var link = self.link, !link.isAudio, packet.offset >= link.start else { return }
        guard let page = link.pages.last(where: { $0 <= packet.offset }),
            let first = link.pages.first
        else { return }
        var title = self.tagTitle
        if title == nil, case .title(let text) = self.said { title = text }
        if title == nil { title = self.awaitedCut?.title }
        self.beginFile(title)
        if link.hasHead {
            self.held.drop(before: first)
            self.write(ByteMemory(self.head))
        } else {
            self.head = self.held[link.start..<page].array
        }
        link.isAudio = true
        link.pages = []
        self.link = link
        self.awaitedCut = nil
    }

    /// Handles the pages that begin up to an offset.
    mutating func open(pagesTo offset: Int64) {
        let count = self.waitingPages.firstIndex { $0.offset > offset } ?? self.waitingPages.count
        for page in self.waitingPages[..<count] { self.open(page) }
        self.waitingPages.removeFirst(count)
    }

    /// Handles all pages that have begun, and writes the complete ones.
    mutating func endPages() {
        self.open(pagesTo: .max)
        guard self.link?.isAudio == true, let page = self.lastPage else { return }
        self.write(self.held.take(before: page.end <= self.held.end ? page.end : page.offset))
    }

    private mutating func open(_ page: OggPageSpan) {
        if page.isFirst, self.lastPage?.isFirst != true {
            // A title from the previous logical stream ends with that stream.
            if self.lastPage != nil { self.said = .nothing }
            self.begin(linkAt: page.offset)
        }
        self.lastPage = page
        if self.link?.isAudio == false { self.link?.pages.append(page.offset) }
        guard let cut = self.awaitedCut, cut.offset <= page.offset, !page.isContinued,
            self.link?.isAudio == true, !self.head.isEmpty
        else { return }
        self.awaitedCut = nil
        guard cut.title != self.file?.title else { return }
        self.write(self.held.take(before: page.offset))
        self.beginFile(cut.title)
        self.write(ByteMemory(self.head))
    }

    private mutating func begin(linkAt offset: Int64) {
        if self.link?.isAudio == true {
            self.write(self.held.take(before: offset))
        } else {
            self.held.drop(before: offset)
        }
        self.endFile()
        self.head = []
        self.tagTitle = nil
        self.link = RecordingLink(start: offset)
    }
}
