// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

/// The entry points of WeirCipher that take lengths, offsets and counts from outside.
///
/// They are the lengths of stored files, the ranges of readers, settings, and the numbers in an age header.
@Suite("Numbers from outside, in ciphers", .timeLimit(.minutes(2)))
struct OutsideNumbersTests {
    private static let lengths = OutsideNumbers.natural.filter { ResourceLength.checked($0) != nil }

    private static let formats: [AESFormat] = [AESFormat.Mode.ctr, .cbc, .ecb].flatMap { mode in
        [AESFormat.Padding.pkcs7, .none].flatMap { padding in
            [0, 5, 1 << 40].map { header in
                AESFormat(
                    mode,
                    initialVector: .bytes(CipherScene.vector),
                    initialCounter: .max,
                    padding: padding,
                    plainHeaderLength: header
                )
            }
        }
    }

    /// Calls all functions of a layout, for plain and stored ranges within the largest length.
    private static func use(_ layout: StoredLayout) {
        for lower in self.lengths where lower <= StoredLayout.farthest {
            _ = layout.storedStart(for: lower)
            for upper in OutsideNumbers.natural where lower <= upper {
                _ = layout.read(for: lower..<upper)
                if lower < upper { _ = layout.stored(for: lower..<upper) }
            }
        }
        for lower in self.lengths {
            for upper in self.lengths where lower <= upper {
                let plain = layout.plain(in: lower..<upper)
                #expect(plain.lowerBound >= 0)
            }
        }
    }

    @Test("a stored file may have any length up to the largest resource")
    func layouts() {
        for length in [nil] + self.stored {
            for prefix in [0, 16] as [Int64] {
                for format in Self.formats {
                    for padding in [0, 1, 16] as [Int64] {
                        let layout = try? format.layout(
                            prefix: prefix,
                            storedLength: length,
                            paddingLength: padding
                        )
                        if let layout { Self.use(layout) }
                    }
                }
            }
            let payload = AgePayload(
                fileKey: SecretBytes(CipherScene.key(16)),
                nonce: CipherScene.key(16)
            )
            for header in [0, 100, 1 << 31] as [Int64] {
                let layout = try? payload.layout(headerLength: header, storedLength: length)
                if let layout { Self.use(layout) }
            }
        }
    }

    private var stored: [Int64?] { Self.lengths + Self.lengths.map { $0 & ~15 } }

    @Test("readers may ask for any range", arguments: CipherScene.all)
    func readers(_ scene: CipherScene) async throws {
        let plain = PatternBytes.bytes(in: 0..<64)
        let stored = try scene.stored(plain)
        for isLengthKnown in [true, false] {
            let source = try scene.source(stored: stored, isLengthKnown: isLengthKnown)
            for number in OutsideNumbers.natural {
                for range in [
                    RequestedRange.from(number), .suffix(number), .span(0..<number),
                    .span(number..<Int64.max),
                ] {
                    do {
                        let bytes = try await source.bytes(range)
                        #expect(bytes.count <= plain.count)
                    } catch {
                        #expect(error is SourceError)
                    }
                    _ = source.residentSlice(range)
                }
            }
        }
    }

    @Test("settings may hold any numbers, and impossible ones are refused")
    func settings() throws {
        let key = AESKeySource.key(try CipherKey(SecretBytes(CipherScene.key(16))))
        for number in OutsideNumbers.all {
            let format = AESFormat(
                .ctr,
                initialVector: .bytes(CipherScene.vector),
                initialCounter: UInt64(bitPattern: number),
                plainHeaderLength: number
            )
            let isLength = (0...(1 << 40)).contains(number)
            #expect(((try? Decryption.aes(format, key: key)) != nil) == isLength)
            for derivation in [KeyDerivation.pbkdf2(iterations: Int(number))] {
                _ = try? Decryption.aes(
                    AESFormat(.cbc, initialVector: .fromKey),
                    key: .passphrase(SecretBytes([1]), derivation, keyLength: Int(number))
                )
            }
        }
    }

    @Test("an age header may name any work factor")
    func workFactors() {
        for text in OutsideNumbers.texts {
            let salt = String(repeating: "A", count: 22)
            let header = "age-encryption.org/v1\n-> scrypt \(salt) \(text)\n\(salt)\n--- \(salt)\n"
            _ = try? AgeHeader.read(Array(header.utf8))
            let stanza = AgeStanza(
                arguments: ["scrypt", salt, text],
                body: Array(repeating: 0, count: 32)
            )
            _ = try? ScryptStanza(stanza)
        }
    }
}
