// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirSource

/// Cuts a resource into extents of the same size, except for the last one.
struct ExtentLayout: Hashable, Sendable {
    /// 4 MiB.
    static let standard = ExtentLayout(size: 4 << 20)

    /// The size of an extent in bytes; at least 1.
    let size: Int64

    /// The number of the extent that contains a byte.
    func number(of offset: Int64) -> Int { Int(offset / self.size) }

    /// The bytes of an extent.
    func range(of number: Int, inLength length: Int64) -> Range<Int64> {
        let start = Int64(number).multipliedClamped(by: self.size)
        return start..<max(start, min(length, start.addingClamped(self.size)))
    }

    /// The extents that a range set contains completely.
    func whole(in held: RangeSet<Int64>, ofLength length: Int64) -> [Int] {
        held.ranges.flatMap { run -> Range<Int> in
            let first = self.number(of: run.lowerBound.addingClamped(self.size - 1))
            // The last extent ends with the resource.
            let end =
                run.upperBound >= length
                ? self.number(of: length.addingClamped(self.size - 1))
                : self.number(of: run.upperBound)
            return first..<max(first, end)
        }
    }
}

/// One version of one resource, with the same name on all machines that share a tier.
struct TierGeneration: Hashable, Sendable {
    /// The resource: 32 hexadecimal digits.
    let resource: String
    /// The version: 32 hexadecimal digits, from its validator and length.
    let version: String
    /// The length of the resource in bytes.
    let length: Int64

    /// Names a version; `nil` without a validator or a length, since machines could not agree on
    /// the name.
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

/// The names of the objects in a tier.
enum TierKey {
    /// The object that names the newest version of a resource.
    static func descriptor(of resource: String) -> String { "\(resource)/descriptor" }

    /// The common prefix of a version's extents.
    ///
    /// The prefix contains the size of an extent, so that machines with different sizes share no
    /// extents.
    static func extents(of generation: TierGeneration, _ layout: ExtentLayout) -> String {
        "\(generation.resource)/\(generation.version)-\(layout.size)/"
    }

    /// The name of an extent; the names sort in the order of the bytes.
    static func extent(_ number: Int, of generation: TierGeneration, _ layout: ExtentLayout)
        -> String
    {
        let digits = String(number)
        return self.extents(of: generation, layout)
            + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    /// The number at the end of an extent's name; `nil` if the name is not valid.
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
    /// The kind and the value of the validator.
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
