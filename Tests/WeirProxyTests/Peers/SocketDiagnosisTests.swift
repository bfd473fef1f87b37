// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirProxy

/// The messages are recorded from Linux 6.18 on a little-endian machine.
@Suite("Asking Linux for the user of a socket")
struct SocketDiagnosisTests {
    private static let loopback: [UInt8] = [127, 0, 0, 1]
    private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

    private static let pair = SocketPair(
        local: SocketPair.End(ipv4: loopback, port: 56072),
        remote: SocketPair.End(ipv4: loopback, port: 35305)
    )
    private static let pair6 = SocketPair(
        local: SocketPair.End(ipv6: loopback6, port: 60718),
        remote: SocketPair.End(ipv6: loopback6, port: 59675)
    )

    private static let question = """
        4800000014000100070000000000000002060000ffffffffdb0889e97f000001000000000000000000000000\
        7f00000100000000000000000000000000000000ffffffffffffffff
        """
    private static let question6 = """
        480000001400010007000000000000000a060000ffffffffed2ee91b00000000000000000000000000000001\
        0000000000000000000000000000000100000000ffffffffffffffff
        """
    /// The answer for a client of the user 65534.
    private static let answer = """
        7c0000001400000007000000b360000002010000db0889e97f0000010000000000000000000000007f000001\
        000000000000000000000000000000000700000000000000000000000000000000000000feff00001e120400\
        050008000000000008000f00000000000c00150001000000000000000600160052000000
        """
    /// The answer for a client of root.
    private static let answer6 = """
        7c0000001400000007000000b36000000a010000ed2ee91b0000000000000000000000000000000100000000\
        000000000000000000000001000000000800000000000000000000000000000000000000\
        00000000c70b0400050008000000000008000f00000000000c00150001000000000000000600160012000000
        """
    private static let noSuchEntry = """
        5c0000000200000007000000b3600000feffffff4800000014000100070000000000000002060000ffffffff\
        000989e97f0000010000000000000000000000007f00000100000000000000000000000000000000ffffffffffffffff
        """

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    private static func answer(
        _ bytes: [UInt8],
        about pair: SocketPair = pair,
        sequence: UInt32 = 7
    ) -> SocketDiagnosis.Answer {
        SocketDiagnosis.answer(bytes, about: pair, sequence: sequence)
    }

    @Test("the question is the message that Linux accepts")
    func questions() {
        #expect(
            SocketDiagnosis.question(about: Self.pair, sequence: 7) == Self.bytes(Self.question)
        )
        #expect(
            SocketDiagnosis.question(about: Self.pair6, sequence: 7) == Self.bytes(Self.question6)
        )
    }

    @Test("an answer names the user of the socket")
    func users() {
        #expect(Self.answer(Self.bytes(Self.answer)) == .open(user: 65534))
        #expect(Self.answer(Self.bytes(Self.answer6), about: Self.pair6) == .open(user: 0))
    }

    @Test("a connection of IPv4 by a socket of IPv6 is the same connection")
    func mapped() {
        var bytes = Self.bytes(Self.answer)
        bytes[16] = 10
        let address = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + Self.loopback
        bytes.replaceSubrange(24..<56, with: address + address)
        #expect(Self.answer(bytes) == .open(user: 65534))
    }

    @Test("a socket that its program has closed has no user, whatever user the answer names")
    func closed() {
        var bytes = Self.bytes(Self.answer)
        bytes.replaceSubrange(84..<88, with: [0, 0, 0, 0])
        #expect(Self.answer(bytes) == .closed)
        bytes.replaceSubrange(80..<84, with: [0, 0, 0, 0])
        #expect(Self.answer(bytes) == .closed)
    }

    @Test("an answer with other ends is about another socket")
    func others() {
        for (offset, byte) in [(20, 1), (23, 1), (27, 2), (43, 2)] as [(Int, UInt8)] {
            var bytes = Self.bytes(Self.answer)
            bytes[offset] = byte
            #expect(Self.answer(bytes) == .absent, "\(offset)")
        }
        // After the connection has gone, Linux finds the listening socket instead.
        var listener = Self.bytes(Self.answer)
        listener.replaceSubrange(22..<24, with: [0, 0])
        listener.replaceSubrange(40..<44, with: [0, 0, 0, 0])
        #expect(Self.answer(listener) == .absent)
    }

    @Test("a refusal has its reason")
    func refusals() {
        var bytes = Self.bytes(Self.noSuchEntry)
        #expect(Self.answer(bytes) == .absent)
        bytes[16] = 0xFF
        #expect(Self.answer(bytes) == .refused(1))
        for code in [0, 1, Int32.max, .min] as [Int32] {
            bytes.replaceSubrange(16..<20, with: withUnsafeBytes(of: code) { Array($0) })
            #expect(Self.answer(bytes) == .unreadable, "\(code)")
        }
    }

    @Test("an answer to another question is ignored")
    func sequences() {
        #expect(Self.answer(Self.bytes(Self.answer), sequence: 8) == .unrelated)
        #expect(Self.answer(Self.bytes(Self.noSuchEntry), sequence: .max) == .unrelated)
    }

    @Test("an answer that is cut short, or claims more bytes than it has, is unreadable")
    func truncations() {
        for whole in [Self.bytes(Self.answer), Self.bytes(Self.noSuchEntry)] {
            for count in 0..<whole.count {
                let cut = Array(whole[..<count])
                #expect(Self.answer(cut) == .unreadable, "\(count)")
                var short = whole
                short.replaceSubrange(
                    0..<4,
                    with: withUnsafeBytes(of: UInt32(count)) { Array($0) }
                )
                // The attributes after the fixed part may be missing.
                let fixed = whole[4] == 2 ? 20 : 88
                if count < fixed { #expect(Self.answer(short) == .unreadable, "\(count)") }
            }
            for claim in [UInt32(whole.count) + 1, 1 << 31, .max] {
                var long = whole
                long.replaceSubrange(0..<4, with: withUnsafeBytes(of: claim) { Array($0) })
                #expect(Self.answer(long) == .unreadable, "\(claim)")
            }
        }
    }

    @Test("a flipped bit never gives an answer about another socket, or a trap")
    func flips() {
        let whole = Self.bytes(Self.answer)
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << UInt8(bit)
                guard case .open(let user) = Self.answer(bytes) else { continue }
                #expect(user == 65534 || (80..<84).contains(index), "bit \(bit) of \(index)")
                #expect(!(20..<28).contains(index) && !(40..<44).contains(index))
            }
        }
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...140, using: &generator)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if count >= 12 {
                bytes.replaceSubrange(0..<4, with: [UInt8(count), 0, 0, 0])
                bytes.replaceSubrange(4..<6, with: [Bool.random(using: &generator) ? 20 : 2, 0])
                bytes.replaceSubrange(8..<12, with: [7, 0, 0, 0])
            }
            if case .open = Self.answer(bytes) {
                Issue.record("noise was taken for an answer (seed \(generator.seed))")
            }
        }
    }
}
