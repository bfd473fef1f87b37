// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where the bytes of a plain file lie in the stored one: arithmetic, and nothing else.
///
/// A stored file is a prefix that is no part of the plain one, plain bytes that are stored as they are, and then
/// units: so many plain bytes each, in so many stored ones, the last one shorter.
///
///     stored   | prefix | clear | unit 0 | unit 1 | … | last |
///     plain             | clear | unit 0 | unit 1 | … | last |
public struct StoredLayout: Hashable, Sendable {
    /// The last plain offset that there is arithmetic for; no file is that long.
    static let farthest: Int64 = 1 << 61

    /// Stored bytes at the start that are no part of the plain file.
    public var prefix: Int64 = 0
    /// Plain bytes that are stored as they are.
    public var clear: Int64 = 0
    /// How many plain bytes a unit holds, 1 or more.
    public var plainUnit: Int64
    /// How many stored bytes a unit takes.
    public var storedUnit: Int64
    /// How many stored bytes before a unit are needed to decrypt it; none before the first.
    public var lookBehind: Int64 = 0
    /// Whether the last unit of the file is decrypted in its own way, or hides where the plain file ends.
    public var isLastSpecial = false
    /// Where the stored file ends; `nil` while it is not known.
    public var storedLength: Int64?
    /// Where the plain file ends; `nil` while it is not known.
    public var plainLength: Int64?

    /// A layout of units, whose length is not known.
    ///
    /// - Parameters:
    ///   - prefix: stored bytes at the start that are no part of the plain file, 0 or more.
    ///   - clear: plain bytes that are stored as they are, 0 or more.
    ///   - plainUnit: how many plain bytes a unit holds, 1 or more.
    ///   - storedUnit: how many stored bytes a unit takes, 1 or more.
    ///   - lookBehind: how many stored bytes before a unit are needed to decrypt it.
    ///   - isLastSpecial: whether the last unit of the file is decrypted in its own way.
    ///   - storedLength: where the stored file ends; `nil` while it is not known.
    ///   - plainLength: where the plain file ends; `nil` while it is not known.
    public init(
        prefix: Int64 = 0,
        clear: Int64 = 0,
        plainUnit: Int64,
        storedUnit: Int64,
        lookBehind: Int64 = 0,
        isLastSpecial: Bool = false,
        storedLength: Int64? = nil,
        plainLength: Int64? = nil
    ) {
        precondition(plainUnit > 0 && storedUnit > 0, "a unit holds bytes and takes some")
        precondition(
            prefix >= 0 && clear >= 0 && lookBehind >= 0,
            "no part has fewer than no bytes"
        )
        self.prefix = prefix
        self.clear = clear
        self.plainUnit = plainUnit
        self.storedUnit = storedUnit
        self.lookBehind = lookBehind
        self.isLastSpecial = isLastSpecial
        self.storedLength = storedLength
        self.plainLength = plainLength
    }

    /// Where the first unit starts in the stored file.
    var firstUnit: Int64 { self.prefix + self.clear }

    /// The stored bytes that hold a plain range: whole units, and what is needed before the first.
    ///
    /// - Parameter plain: a range that is not empty, within the plain file.
    /// - Returns: what to read, at most one unit more than is needed at each end; nothing behind the end of the file.
    func stored(for plain: Range<Int64>) -> Range<Int64> {
        var end = Int64.max
        if plain.upperBound <= self.clear {
            end = self.prefix + plain.upperBound
        } else if plain.upperBound < .max - self.clear {
            let units = (plain.upperBound - self.clear - 1) / self.plainUnit + 1
            let (bytes, isTooFar) = units.multipliedReportingOverflow(by: self.storedUnit)
            end = isTooFar || bytes > .max - self.firstUnit ? .max : self.firstUnit + bytes
        }
        end = min(end, self.storedLength ?? .max)
        return min(self.storedStart(for: plain.lowerBound), end)..<end
    }

    /// The stored bytes to ask for to read a plain range.
    ///
    /// - Parameter plain: to `Int64.max` for the rest of the file.
    /// - Returns: what ``stored(for:)`` says; while the end of the file is not known, a unit more if the last is special,
    ///   since only what follows a unit tells that it is not the last.
    func read(for plain: Range<Int64>) -> Range<Int64> {
        guard !plain.isEmpty else {
            let start = self.storedStart(for: plain.lowerBound)
            return start..<start
        }
        let stored = self.stored(for: plain)
        guard self.storedLength == nil, self.isLastSpecial else { return stored }
        let (end, isTooFar) = stored.upperBound.addingReportingOverflow(self.storedUnit)
        return stored.lowerBound..<(isTooFar ? .max : end)
    }

    /// Where to start to read for a plain offset.
    func storedStart(for plain: Int64) -> Int64 {
        guard plain >= self.clear else { return self.prefix + plain }
        let unit = (plain - self.clear) / self.plainUnit
        return self.start(ofUnit: unit) - (unit > 0 ? self.lookBehind : 0)
    }

    /// Where a unit starts in the stored file.
    func start(ofUnit unit: Int64) -> Int64 { self.firstUnit + unit * self.storedUnit }

    /// The unit that starts at a stored offset.
    func unit(at stored: Int64) -> Int64 { (stored - self.firstUnit) / self.storedUnit }

    /// Where the bytes of a unit start in the plain file.
    func plainStart(ofUnit unit: Int64) -> Int64 { self.clear + unit * self.plainUnit }

    /// The plain bytes that can be had from stored ones, and nothing else.
    ///
    /// - Returns: an empty range where there are none.
    func plain(in stored: Range<Int64>) -> Range<Int64> {
        let lower = self.plainStart(from: stored.lowerBound)
        let upper = max(lower, self.plainEnd(before: stored.upperBound))
        return lower..<upper
    }

    private func plainStart(from stored: Int64) -> Int64 {
        if stored <= self.prefix { return 0 }
        if stored < self.firstUnit { return stored - self.prefix }
        if stored == self.firstUnit { return self.clear }
        let unit = (stored + self.lookBehind - self.firstUnit - 1) / self.storedUnit + 1
        return min(self.plainStart(ofUnit: unit), self.plainLength ?? .max)
    }

    private func plainEnd(before stored: Int64) -> Int64 {
        if let storedLength, let plainLength, stored >= storedLength { return plainLength }
        if stored <= self.prefix { return 0 }
        if stored <= self.firstUnit { return stored - self.prefix }
        return min(self.plainStart(ofUnit: self.unit(at: stored)), self.plainLength ?? .max)
    }
}
