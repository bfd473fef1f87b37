// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("Files beyond 4 and 64 GiB")
struct LargeFileTests {
    static let edges: [Int64] = [1 << 32, 1 << 36, (1 << 36) + (1 << 32) - 16]

    @Test("in CTR, the counter continues past 32 bits and wraps at 128", arguments: edges)
    func counter(_ edge: Int64) async throws {
        let key = CipherScene.key(16)
        // The start value makes the counter wrap exactly at the edge.
        let start = 0 &- UInt128(edge / 16)
        let vector = withUnsafeBytes(of: start.bigEndian) { Array($0) }
        let zeros = EndlessZeros(length: 1 << 37)
        let source = CipherSource(
            zeros,
            decryption: try .aes(
                AESFormat(.ctr, initialVector: .bytes(vector)),
                key: .key(CipherKey(SecretBytes(key)))
            ),
            for: KeyRequest(resource: "zeros")
        )
        let range = (edge - 40)..<(edge + 50)
        var expected: [UInt8] = []
        for block in (range.lowerBound / 16)...((range.upperBound - 1) / 16) {
            var stream = withUnsafeBytes(of: (start &+ UInt128(block)).bigEndian) { Array($0) }
            try AES.permute(&stream, key: SymmetricKey(data: key))
            expected += stream
        }
        let skipped = Int(range.lowerBound % 16)
        #expect(try await source.bytes(.span(range)) == Array(expected[skipped..<(skipped + 90)]))
        #expect(zeros.asked.value == [(edge - 48)..<(edge + 64)])
    }

    @Test("in CBC and ECB, a range costs its blocks and the one before", arguments: edges)
    func chained(_ edge: Int64) async throws {
        let key = try CipherKey(SecretBytes(CipherScene.key(32)))
        var expected = [UInt8](repeating: 0, count: 16)
        try AES.inversePermute(&expected, key: SymmetricKey(data: CipherScene.key(32)))
        for mode in [AESFormat.Mode.cbc, .ecb] {
            let zeros = EndlessZeros(length: 1 << 37)
            let source = CipherSource(
                zeros,
                decryption: try .aes(
                    AESFormat(mode, initialVector: .bytes(CipherScene.vector), padding: .none),
                    key: .key(key)
                ),
                for: KeyRequest(resource: "zeros")
            )
            let bytes = try await source.bytes(.span((edge - 1)..<(edge + 17)))
            #expect(bytes == [expected[15]] + expected + [expected[0]])
            let before: Int64 = mode == .cbc ? 16 : 0
            #expect(zeros.asked.value == [(edge - 16 - before)..<(edge + 32)])
        }
    }

    @Test("in age, a range costs its chunks", arguments: edges)
    func chunks(_ edge: Int64) throws {
        let payload = AgePayload(
            fileKey: SecretBytes(CipherScene.key(16)),
            nonce: CipherScene.vector
        )
        let layout = try payload.layout(headerLength: 200, storedLength: 216 + (1 << 21) * 65_552)
        #expect(layout.plainLength == 1 << 37)
        let chunk = edge / 65_536
        let start = 216 + chunk * 65_552
        #expect(layout.stored(for: edge..<(edge + 1)) == start..<(start + 65_552))
        #expect(layout.stored(for: (edge - 1)..<(edge + 1)).lowerBound <= start)
    }
}
