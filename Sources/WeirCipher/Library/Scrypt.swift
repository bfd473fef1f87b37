// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
import os
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The cost parameters of scrypt (RFC 7914 §2).
struct ScryptCost: Hashable {
    /// N: a power of two, at least 2.
    var rounds: Int
    /// r: the number of 128-byte units in a block.
    var blockSize = 8
    /// p: the number of blocks that are mixed.
    var parallelism = 1

    /// The required memory in bytes; `nil` if it exceeds the address space.
    var memory: Int? {
        // V has N blocks, B has p, and X and Y are two more.
        let (block, blockOverflows) = self.blockSize.multipliedReportingOverflow(by: 128)
        let (others, othersOverflow) = self.parallelism.addingReportingOverflow(2)
        let (blocks, countOverflows) = self.rounds.addingReportingOverflow(others)
        let (bytes, overflows) = block.multipliedReportingOverflow(by: blocks)
        return blockOverflows || othersOverflow || countOverflows || overflows ? nil : bytes
    }
}

/// scrypt (RFC 7914), for platforms whose library lacks it.
///
///     passphrase ─PBKDF2─► B: p blocks ─ROMix─► B ─PBKDF2─► key
///     ROMix: V(i) = X, X = BlockMix(X), N times;
///            then X = BlockMix(X ^ V(a number from X)), N times.
///
/// All memory is allocated before the work begins, and wiped when it is no longer needed.
struct Scrypt {
    private let cost: ScryptCost
    private let memoryLimit: Int

    /// The number of 32-bit words in a block of Salsa20.
    private static let words = 16

    /// Prepares a derivation.
    ///
    /// - Parameters:
    ///   - cost: the cost parameters.
    ///   - memoryLimit: the largest amount of memory in bytes; by default the available memory.
    init(_ cost: ScryptCost, memoryLimit: Int = Scrypt.availableMemory) {
        self.cost = cost
        self.memoryLimit = memoryLimit
    }

    /// The largest amount of memory that the system can give this process.
    static var availableMemory: Int {
        #if os(iOS) || os(tvOS) || os(visionOS) || os(watchOS)
        // The system ends an application that uses more memory. The function returns 0 if the limit
        // is unknown.
        let rest = os_proc_available_memory()
        if rest > 0 { return rest }
        #endif
        return Int(clamping: ProcessInfo.processInfo.physicalMemory)
    }

    /// Derives bytes.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: any bytes.
    ///   - count: the number of bytes.
    /// - Returns: the bytes; `nil` if the memory is not available, or if the cost parameters are
    ///   invalid.
    func key(_ passphrase: UnsafeRawBufferPointer, salt: [UInt8], count: Int) -> SecretBytes? {
        let cost = self.cost
        guard cost.rounds > 1, cost.rounds.nonzeroBitCount == 1, cost.blockSize > 0,
            cost.parallelism > 0, count > 0, let memory = cost.memory, memory <= self.memoryLimit,
            let start = malloc(memory)
        else { return nil }
        let all = UnsafeMutableRawBufferPointer(start: start, count: memory)
        defer {
            SecretBytes.wipe(all)
            free(start)
        }
        let size = cost.blockSize * 128
        let blocks = UnsafeMutableRawBufferPointer(rebasing: all[..<(size * cost.parallelism)])
        PBKDF2.key(SHA256.self, passphrase, salt: salt, iterations: 1, count: blocks.count)
            .withUnsafeBytes { blocks.copyMemory(from: $0) }
        let words = start.bindMemory(to: UInt32.self, capacity: memory / 4)
        let perBlock = size / 4
        let rest = words + perBlock * cost.parallelism
        for index in 0..<cost.parallelism {
            Self.mix(
                words + perBlock * index,
                rounds: cost.rounds,
                count: perBlock,
                scratch: rest,
                table: rest + 2 * perBlock
            )
        }
        return PBKDF2.key(SHA256.self, passphrase, salt: blocks, iterations: 1, count: count)
    }

    /// ROMix (§5), in place.
    ///
    /// - Parameters:
    ///   - block: the block to mix, its words in the order of RFC 7914 (little-endian).
    ///   - rounds: N.
    ///   - count: the number of words in the block.
    ///   - scratch: space for two blocks.
    ///   - table: space for N blocks.
    private static func mix(
        _ block: UnsafeMutablePointer<UInt32>,
        rounds: Int,
        count: Int,
        scratch: UnsafeMutablePointer<UInt32>,
        table: UnsafeMutablePointer<UInt32>
    ) {
        var (now, next) = (scratch, scratch + count)
        for word in 0..<count { now[word] = UInt32(littleEndian: block[word]) }
        for round in 0..<rounds {
            (table + round * count).update(from: now, count: count)
            Self.mixBlocks(now, into: next, count: count)
            swap(&now, &next)
        }
        for _ in 0..<rounds {
            let low = UInt64(now[count - Self.words])
            let high = UInt64(now[count - Self.words + 1])
            let chosen = Int(truncatingIfNeeded: (high << 32 | low) & UInt64(rounds - 1))
            Self.join(now, with: table + chosen * count, count: count)
            Self.mixBlocks(now, into: next, count: count)
            swap(&now, &next)
        }
        for word in 0..<count { block[word] = now[word].littleEndian }
    }

    /// BlockMix (§4): mixes each 16-word block with the result before it; even-numbered results
    /// come first.
    private static func mixBlocks(
        _ input: UnsafeMutablePointer<UInt32>,
        into output: UnsafeMutablePointer<UInt32>,
        count: Int
    ) {
        let half = count / 2
        var last = input + (count - Self.words)
        var start = 0
        var isOdd = false
        while start < count {
            let place = output + (start / 2 &+ (isOdd ? half &- Self.words / 2 : 0))
            Self.salsa(last, input + start, into: place)
            last = place
            start &+= Self.words
            isOdd.toggle()
        }
    }

    /// Combines words with other words by exclusive or.
    private static func join(
        _ words: UnsafeMutablePointer<UInt32>,
        with others: UnsafeMutablePointer<UInt32>,
        count: Int
    ) {
        var word = 0
        while word < count {
            words[word] ^= others[word]
            word &+= 1
        }
    }

    /// Applies Salsa20/8 (§3) to the exclusive or of two blocks.
    private static func salsa(
        _ left: UnsafeMutablePointer<UInt32>,
        _ right: UnsafeMutablePointer<UInt32>,
        into output: UnsafeMutablePointer<UInt32>
    ) {
        var word = 0
        while word < Self.words {
            output[word] = left[word] ^ right[word]
            word &+= 1
        }
        var (x0, x1, x2, x3) = (output[0], output[1], output[2], output[3])
        var (x4, x5, x6, x7) = (output[4], output[5], output[6], output[7])
        var (x8, x9, x10, x11) = (output[8], output[9], output[10], output[11])
        var (x12, x13, x14, x15) = (output[12], output[13], output[14], output[15])
        var doubleRound = 0
        while doubleRound < 4 {
            // Columns, then rows.
            x4 ^= Self.rotated(x0 &+ x12, 7)
            x8 ^= Self.rotated(x4 &+ x0, 9)
            x12 ^= Self.rotated(x8 &+ x4, 13)
            x0 ^= Self.rotated(x12 &+ x8, 18)
            x9 ^= Self.rotated(x5 &+ x1, 7)
            x13 ^= Self.rotated(x9 &+ x5, 9)
            x1 ^= Self.rotated(x13 &+ x9, 13)
            x5 ^= Self.rotated(x1 &+ x13, 18)
            x14 ^= Self.rotated(x10 &+ x6, 7)
            x2 ^= Self.rotated(x14 &+ x10, 9)
            x6 ^= Self.rotated(x2 &+ x14, 13)
            x10 ^= Self.rotated(x6 &+ x2, 18)
            x3 ^= Self.rotated(x15 &+ x11, 7)
            x7 ^= Self.rotated(x3 &+ x15, 9)
            x11 ^= Self.rotated(x7 &+ x3, 13)
            x15 ^= Self.rotated(x11 &+ x7, 18)
            x1 ^= Self.rotated(x0 &+ x3, 7)
            x2 ^= Self.rotated(x1 &+ x0, 9)
            x3 ^= Self.rotated(x2 &+ x1, 13)
            x0 ^= Self.rotated(x3 &+ x2, 18)
            x6 ^= Self.rotated(x5 &+ x4, 7)
            x7 ^= Self.rotated(x6 &+ x5, 9)
            x4 ^= Self.rotated(x7 &+ x6, 13)
            x5 ^= Self.rotated(x4 &+ x7, 18)
            x11 ^= Self.rotated(x10 &+ x9, 7)
            x8 ^= Self.rotated(x11 &+ x10, 9)
            x9 ^= Self.rotated(x8 &+ x11, 13)
            x10 ^= Self.rotated(x9 &+ x8, 18)
            x12 ^= Self.rotated(x15 &+ x14, 7)
            x13 ^= Self.rotated(x12 &+ x15, 9)
            x14 ^= Self.rotated(x13 &+ x12, 13)
            x15 ^= Self.rotated(x14 &+ x13, 18)
            doubleRound &+= 1
        }
        output[0] &+= x0
        output[1] &+= x1
        output[2] &+= x2
        output[3] &+= x3
        output[4] &+= x4
        output[5] &+= x5
        output[6] &+= x6
        output[7] &+= x7
        output[8] &+= x8
        output[9] &+= x9
        output[10] &+= x10
        output[11] &+= x11
        output[12] &+= x12
        output[13] &+= x13
        output[14] &+= x14
        output[15] &+= x15
    }

    /// Rotates a word to the left by 1 to 31 bits.
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &<< count | word &>> (32 &- count)
    }
}
