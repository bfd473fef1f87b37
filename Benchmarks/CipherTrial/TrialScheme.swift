// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher
import WeirSource
import WeirTestKit

/// An encryption scheme with a key, which makes files for the trials.
struct TrialScheme: Sendable {
    let name: String
    let decryption: Decryption
    private let sealing: Sealing?

    private static let vector = (0..<16).map { UInt8(0xE0 + $0) }

    static func all() throws -> [TrialScheme] {
        let identity = try AgeIdentity(
            parsing: "AGE-SECRET-KEY-1C8VY442DR03L7V5PL2D40GNSGGMPFUXV58HEDQGGV4EGGQ0DHYHSY4VMAG"
        )
        var schemes: [TrialScheme] = []
        for bits in [128, 192, 256] {
            let key = try CipherKey(SecretBytes((0..<(bits / 8)).map { UInt8($0 * 5 + 3) }))
            schemes.append(
                TrialScheme(
                    name: "aes-\(bits)-ctr",
                    decryption: try .aes(
                        AESFormat(.ctr, initialVector: .bytes(vector)),
                        key: .key(key)
                    ),
                    sealing: .aesCTR(key, initialVector: vector)
                )
            )
            schemes.append(
                TrialScheme(
                    name: "aes-\(bits)-cbc",
                    decryption: try .aes(
                        AESFormat(.cbc, initialVector: .bytes(vector)),
                        key: .key(key)
                    ),
                    sealing: .aesCBC(key, initialVector: vector)
                )
            )
            // Weir does not encrypt with ECB. So any bytes serve as a stored file: decryption
            // always gives the same plain bytes.
            schemes.append(
                TrialScheme(
                    name: "aes-\(bits)-ecb",
                    decryption: try .aes(AESFormat(.ecb, padding: .none), key: .key(key)),
                    sealing: nil
                )
            )
        }
        schemes.append(
            TrialScheme(
                name: "age",
                decryption: .age(.identities([identity])),
                sealing: .age([identity.recipient])
            )
        )
        return schemes
    }

    /// A stored file with this many plain bytes; `nil` if the scheme has no file of this length.
    ///
    /// - Returns: the stored bytes, and the plain bytes.
    func file(_ length: Int) async throws -> (stored: [UInt8], plain: [UInt8])? {
        let plain = PatternBytes.bytes(in: 0..<Int64(length), seed: UInt64(length))
        guard self.sealing != nil else {
            guard length.isMultiple(of: 16) else { return nil }
            // The expected bytes are decrypted block by block, each block in one piece.
            let source = self.source(
                MemorySource(bytes: plain, validator: .revision("1"), chunkSize: 16)
            )
            var decrypted: [UInt8] = []
            for start in stride(from: 0, to: length, by: 16) {
                for try await chunk in try await source.read(
                    .span(Int64(start)..<Int64(start + 16))
                ) {
                    decrypted += try chunk.bytes()
                }
            }
            return (plain, decrypted)
        }
        return (try self.sealed(plain), plain)
    }

    /// The stored bytes for plain bytes; for ECB the same bytes.
    func sealed(_ plain: [UInt8]) throws -> [UInt8] {
        guard let sealing else { return plain }
        var sealer = try Sealer(sealing)
        let head = sealer.begin()
        let body = try plain.withUnsafeBytes { try sealer.seal($0) }
        return head + body + (try sealer.finish())
    }

    func source(_ base: any ByteSource) -> CipherSource {
        CipherSource(base, decryption: self.decryption, for: KeyRequest(resource: self.name))
    }
}
