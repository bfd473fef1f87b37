// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirSource

/// How a resource is cut into extents: all of one size, but for the last.
struct ExtentLayout: Hashable, Sendable {
    /// 4 MiB.
    static let standard = ExtentLayout(size: 4 << 20)

    /// Bytes in an extent; 1 or more.
    let size: Int64

    /// The extent that a byte is in.
    func number(of offset: Int64) -> Int { Int(offset / self.size) }

    /// The bytes of an extent.
    func range(of number: Int, inLength length: Int64) -> Range<Int64> {
        let start = Int64(number).multipliedClamped(by: self.size)
        return start..<max(start, min(length, start.addingClamped(self.size)))
    }

    /// The extents of which a range set has every byte.
    func whole(in held: RangeSet<Int64>, ofLength length: Int64) -> [Int] {
        held.ranges.flatMap { run -> Range<Int> in
            let first = self.number(of: run.lowerBound.addingClamped(self.size - 1))
            // The last one ends with the resource.
            let end =
                run.upperBound >= length
                ? self.number(of: length.addingClamped(self.size - 1))
                : self.number(of: run.upperBound)
            return first..<max(first, end)
        }
    }
}

/// One version of one resource, as all machines that share a tier call it.
struct TierGeneration: Hashable, Sendable {
    /// The resource: 32 hexadecimal digits.
    let resource: String
    /// The version: 32 hexadecimal digits, from its validator and length.
    let version: String
    /// Bytes in the resource.
    let length: Int64

    /// Names a version; `nil` where nothing names it, since no two machines could mean the same.
    init?(_ resource: String, _ validator: Validator?, length: Int64?) {
        guard let validator, let length else { return nil }
        let (kind, value) = validator.tierText
        let digest = SHA256.hash(data: Array("\(kind)\n\(length)\n\(value)".utf8))
        self.resource = resource
        self.version = digest.prefix(16).map { Self.hexadecimal($0) }.joined()
        self.length = length
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

/// What the objects of a tier are called.
enum TierKey {
    /// The object that says which version of a resource is the newest.
    static func descriptor(of resource: String) -> String { "\(resource)/descriptor" }

    /// What the extents of a version begin with; their size is a part of it, so that machines that cut otherwise share
    /// nothing.
    static func extents(of generation: TierGeneration, _ layout: ExtentLayout) -> String {
        "\(generation.resource)/\(generation.version)-\(layout.size)/"
    }

    /// An extent, numbered so that the order of the names is that of the bytes.
    static func extent(_ number: Int, of generation: TierGeneration, _ layout: ExtentLayout)
        -> String
    {
        let digits = String(number)
        return self.extents(of: generation, layout)
            + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    /// The number at the end of an extent's name; `nil` if it is none.
    static func number(in key: String, behind prefix: String) -> Int? {
        guard key.hasPrefix(prefix) else { return nil }
        let digits = key.dropFirst(prefix.count)
        guard digits.utf8.count == 12, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}

extension Validator {
    /// Its kind, and what it says.
    var tierText: (kind: String, value: String) {
        switch self {
        case .entityTag(let tag): ("entity-tag", tag)
        case .lastModified(let date, let length): ("last-modified", "\(length) \(date)")
        case .revision(let revision): ("revision", revision)
        }
    }

    /// Reads ``tierText``.
    init?(kind: String, value: String) {
        switch kind {
        case "entity-tag": self = .entityTag(value)
        case "revision": self = .revision(value)
        case "last-modified":
            let parts = value.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let length = Int64(parts[0]) else { return nil }
            self = .lastModified(String(parts[1]), length: length)
        default: return nil
        }
    }
}
