// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The positions of a plain file's bytes in the stored one; pure arithmetic.
///
/// A stored file has three parts. The prefix is not part of the plain file. The clear bytes are
/// plain bytes, stored unencrypted. Then come units of a fixed number of plain and of stored bytes;
/// the last one may be shorter.
///
///     stored   | prefix | clear | unit 0 | unit 1 | … | last |
///     plain             | clear | unit 0 | unit 1 | … | last |
public struct StoredLayout: Hashable, Sendable {
    /// The largest supported plain offset; no file is that long.
    static let farthest: Int64 = 1 << 61

    /// The length of the prefix in stored bytes.
    public var prefix: Int64 = 0
    /// The number of plain bytes that are stored unencrypted.
    public var clear: Int64 = 0
    /// The number of plain bytes in a unit, 1 or more.
    public var plainUnit: Int64
    /// The number of stored bytes in a unit.
    public var storedUnit: Int64
    /// How many stored bytes before a unit are needed to decrypt it; the first unit needs no bytes
    /// before it.
    public var lookBehind: Int64 = 0
    /// Whether the last unit is decrypted differently, or hides the end of the plain file.
    public var isLastSpecial = false
    /// The length of the stored file; `nil` while it is unknown.
    public var storedLength: Int64?
    /// The length of the plain file; `nil` while it is unknown.
    public var plainLength: Int64?

    /// Creates a layout of units, by default with unknown lengths.
    ///
    /// - Parameters:
    ///   - prefix: the length of the prefix in stored bytes, 0 or more.
    ///   - clear: the number of plain bytes that are stored unencrypted, 0 or more.
    ///   - plainUnit: the number of plain bytes in a unit, 1 or more.
    ///   - storedUnit: the number of stored bytes in a unit, 1 or more.
    ///   - lookBehind: the number of stored bytes before a unit that its decryption needs.
    ///   - isLastSpecial: whether the last unit of the file is decrypted differently.
    ///   - storedLength: the length of the stored file; `nil` while it is unknown.
    ///   - plainLength: the length of the plain file; `nil` while it is unknown.
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

    /// The start of the first unit in the stored file.
    var firstUnit: Int64 { self.prefix + self.clear }

    /// The stored bytes that hold a plain range: whole units, and the bytes needed before the
    /// first.
    ///
    /// - Parameter plain: a non-empty range within the plain file.
    /// - Returns: the stored range; it does not exceed the end of the file.
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

    /// The stored bytes to request for a plain range.
    ///
    /// - Parameter plain: the plain range; to `Int64.max` for the rest of the file.
    /// - Returns: the range of ``stored(for:)``. If the end of the file is unknown and the last
    ///   unit is special, the range has one unit more. Only a following byte shows that a unit is
    ///   not the last.
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

    /// The start of the stored bytes for a plain offset.
    func storedStart(for plain: Int64) -> Int64 {
        guard plain >= self.clear else { return self.prefix + plain }
        let unit = (plain - self.clear) / self.plainUnit
        return self.start(ofUnit: unit) - (unit > 0 ? self.lookBehind : 0)
    }

    /// The start of a unit in the stored file.
    func start(ofUnit unit: Int64) -> Int64 { self.firstUnit + unit * self.storedUnit }

    /// The unit that contains the byte at a stored offset.
    func unit(at stored: Int64) -> Int64 { (stored - self.firstUnit) / self.storedUnit }

    /// The start of a unit's bytes in the plain file.
    func plainStart(ofUnit unit: Int64) -> Int64 { self.clear + unit * self.plainUnit }

    /// The plain bytes that can be decrypted from a stored range alone.
    ///
    /// - Returns: the plain range, empty if there are no such bytes.
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
