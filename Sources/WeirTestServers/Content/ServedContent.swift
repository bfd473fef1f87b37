// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Bytes that a test server can serve from, wherever they are.
public struct ServedContent: Sendable {
    /// How many bytes there are.
    public let length: Int64
    private let read: @Sendable (Range<Int64>) -> [UInt8]

    /// Makes content of a rule, which is asked for pieces of 1 MiB at most.
    ///
    /// - Parameters:
    ///   - length: how many bytes there are, from 0 on.
    ///   - read: gives the bytes of a range that lies within the length; fewer if they cannot be
    ///     had any more. Called on any thread, for the same range any number of times.
    public init(length: Int64, read: @escaping @Sendable (Range<Int64>) -> [UInt8]) {
        self.length = max(0, length)
        self.read = read
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> ServedContent {
        ServedContent(length: Int64(bytes.count)) {
            Array(bytes[Int($0.lowerBound)..<Int($0.upperBound)])
        }
    }

    /// Bytes of `PatternBytes` of WeirTestKit, which take no memory.
    public static func pattern(length: Int64, seed: UInt64 = 1) -> ServedContent {
        ServedContent(length: length) { PatternBytes.bytes(in: $0, seed: seed) }
    }

    /// The bytes of a range, cut at the end of the content.
    public func bytes(in range: Range<Int64>) -> [UInt8] {
        let range = range.clamped(to: 0..<self.length)
        return range.isEmpty ? [] : self.read(range)
    }

    /// As many bytes, none of which is the same.
    var inverted: ServedContent {
        ServedContent(length: self.length) { self.bytes(in: $0).map { ~$0 } }
    }
}
