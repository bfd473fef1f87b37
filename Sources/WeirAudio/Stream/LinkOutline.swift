// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the links of a file from the present one on, and how long they are heard.
///
/// Most files have one link: then one read at the end of the file is enough.
struct LinkOutline<Method: LinkMethod>: SeekSearching {
    /// The most reads.
    private static var mostReads: Int { 96 }
    /// How many bytes of a link's beginning are read.
    private static var headerByteCount: Int64 { 4096 }

    private enum Stage {
        case end
        case header(Range<Int64>)
        case over
    }

    private var method: Method
    private var search: LinkSearch<Method>
    private var stage = Stage.end
    private var reads = 0
    private var heard = Duration.zero
    private var count = 1
    private var isSure = true
    private(set) var extent: LinkExtent?

    init(_ method: Method) {
        self.method = method
        self.search = LinkSearch(endOf: method)
        self.follow()
    }

    var step: SeekSearch.Step {
        switch self.stage {
        case .end: self.search.step
        case .header(let range): .read(range)
        case .over: .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        }
    }

    mutating func read(_ bytes: ByteMemory) {
        self.reads += 1
        guard self.reads < Self.mostReads else {
            self.stage = .over
            return
        }
        switch self.stage {
        case .end:
            self.search.read(bytes)
            self.follow()
        case .header(let range):
            guard let next = bytes.withView({ self.method.next($0, at: range.lowerBound) }) else {
                self.stage = .over
                return
            }
            self.count += 1
            self.method = next
            self.search = LinkSearch(endOf: next)
            self.stage = .end
            self.follow()
        case .over: break
        }
    }

    private mutating func follow() {
        guard case .found = self.search.step else { return }
        self.stage = .over
        guard !self.search.isLost, let end = self.search.end, let length = self.method.byteEnd
        else { return }
        let samples = max(0, end - self.method.audibleStart)
        let seconds = samples.seconds(sampleRate: max(1, self.method.sampleRate))
        self.heard += .seconds(min(seconds, 0x1p40))
        self.isSure = self.isSure && self.method.isTrue(end) && !self.search.isCut
        if let border = self.search.border {
            let upper = min(border.offset + Self.headerByteCount, length)
            self.stage = .header(border.offset..<max(upper, border.offset + 1))
        } else {
            self.extent = LinkExtent(heard: self.heard, count: self.count, isSure: self.isSure)
        }
    }
}

/// How long a file is heard, from its present link on.
package struct LinkExtent: Hashable, Sendable {
    /// How long the links are heard, from the beginning of the present one.
    package var heard: Duration
    /// How many links there are.
    package var count: Int
    /// Whether the result is certain.
    ///
    /// `false` if a link may have been mistaken for a part of another link, or if the file ends
    /// within a page.
    package var isSure: Bool
}

/// A search that makes one read, at the end of a file, and finds no time.
struct EndLook: SeekSearching {
    private(set) var step: SeekSearch.Step

    init(_ range: Range<Int64>) {
        self.step = range.isEmpty ? Self.over : .read(range)
    }

    private static var over: SeekSearch.Step {
        .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
    }

    mutating func read(_: ByteMemory) { self.step = Self.over }
}
