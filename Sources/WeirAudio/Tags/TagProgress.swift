// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far the bytes were looked through where a tag may stand, while its end has not come.
///
/// Where bytes come one by one, what was looked at is not looked at again.
struct TagProgress: Sendable {
    /// Where the tag would start.
    private var start: Int64?
    /// How many bytes of items of an APE tag were passed.
    var items = 0
    /// How many items these are.
    var itemCount = 0
    /// How many bytes of Lyrics3 were passed, up to a field.
    var fields = 0
    /// How many fields these hold.
    var fieldCount = 0
    /// Where in the stream no `LYRICSEND` starts.
    private var endless: Range<Int64> = 0..<0

    /// A tag may start there.
    mutating func begin(at offset: Int64) {
        guard self.start != offset else { return }
        self.start = offset
        self.items = 0
        self.itemCount = 0
        self.fields = 0
        self.fieldCount = 0
    }

    /// From where on a `LYRICSEND` is to be looked for.
    ///
    /// - Parameter offset: from where on it would do.
    /// - Returns: that offset, or the end of what has been searched from there.
    func searchStart(_ offset: Int64) -> Int64 {
        self.endless.contains(offset) ? self.endless.upperBound : offset
    }

    /// None starts there.
    mutating func ruledOut(_ range: Range<Int64>) {
        let isNext = self.endless.contains(range.lowerBound)
        self.endless =
            isNext
            ? self.endless.lowerBound..<max(self.endless.upperBound, range.upperBound) : range
    }
}
