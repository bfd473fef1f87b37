// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The content of an endless file that is computed, not stored: its bytes show their position.
///
/// No two 8-byte words of one pattern are equal, so bytes that were lost, doubled, swapped or taken
/// from another offset never compare equal. Patterns of different seeds differ in every word.
public enum PatternBytes {
    /// The bytes of a range of the pattern.
    ///
    /// - Parameters:
    ///   - range: half-open, absolute, from 0 on.
    ///   - seed: selects the pattern.
    /// - Returns: exactly as many bytes as the range has.
    public static func bytes(in range: Range<Int64>, seed: UInt64 = 1) -> [UInt8] {
        precondition(range.lowerBound >= 0, "a pattern starts at 0")
        let count = Int(range.upperBound - range.lowerBound)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            while written < count {
                let offset = range.lowerBound + Int64(written)
                let skipped = Int(offset & 7)
                let part = min(8 - skipped, count - written)
                let word = Self.word(at: offset >> 3, seed: seed)
                if part == 8 {
                    raw.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
                } else {
                    for index in 0..<part {
                        raw[written + index] = UInt8(
                            truncatingIfNeeded: word >> ((skipped + index) * 8)
                        )
                    }
                }
                written += part
            }
        }
    }

    /// One byte of the pattern.
    public static func byte(at offset: Int64, seed: UInt64 = 1) -> UInt8 {
        precondition(offset >= 0, "a pattern starts at 0")
        let word = Self.word(at: offset >> 3, seed: seed)
        return UInt8(truncatingIfNeeded: word >> UInt64((offset & 7) * 8))
    }

    /// The first offset at which bytes differ from the pattern.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that a source yielded.
    ///   - offset: the expected position of the first byte.
    ///   - seed: selects the pattern.
    /// - Returns: `nil` if all bytes match.
    public static func firstDifference(
        in bytes: some Sequence<UInt8>,
        at offset: Int64,
        seed: UInt64 = 1
    ) -> Int64? {
        var at = offset
        for byte in bytes {
            guard byte == Self.byte(at: at, seed: seed) else { return at }
            at += 1
        }
        return nil
    }

    /// The word at an index; every step of the finalizer is a bijection, so the words are all
    /// different.
    private static func word(at index: Int64, seed: UInt64) -> UInt64 {
        SeededGenerator.mixed(
            UInt64(bitPattern: index) &+ SeededGenerator.mixed(seed &+ SeededGenerator.increment)
        )
    }
}

/// A random number generator that gives the same numbers for the same seed, everywhere and for
/// ever.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). A test
/// that draws from it prints ``seed``, so that a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The start value, which determines all numbers.
    public let seed: UInt64

    private var state: UInt64

    /// Starts a sequence.
    public init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        self.state &+= Self.increment
        return Self.mixed(self.state)
    }

    static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
