// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

/// A format with its key, and an encryption for the tests; only age uses Weir's own `Sealer`.
struct CipherScene: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable {
        case aes(AESFormat, keyLength: Int)
        case passphrase(AESFormat, KeyDerivation, keyLength: Int)
        case age
    }

    let testDescription: String
    let kind: Kind

    static let all: [CipherScene] = [
        CipherScene("CTR, 128 bits", .ctr, 16, .bytes(vector)),
        CipherScene("CTR, 256 bits, the vector in front", .ctr, 32, .prefix),
        CipherScene(
            "CTR, 192 bits, a nonce of 12 bytes, a counter, a header of 37",
            .ctr,
            24,
            .bytes(Array(vector[..<12])),
            counter: 2,
            header: 37
        ),
        CipherScene("CBC, 128 bits", .cbc, 16, .bytes(vector)),
        CipherScene(
            "CBC, 192 bits, the vector in front, a header of 5",
            .cbc,
            24,
            .prefix,
            header: 5
        ),
        CipherScene("CBC, 256 bits, no padding", .cbc, 32, .bytes(vector), padding: .none),
        CipherScene("ECB, 128 bits", .ecb, 16, .prefix),
        CipherScene(
            "ECB, 256 bits, no padding, a header of 16",
            .ecb,
            32,
            .prefix,
            padding: .none,
            header: 16
        ),
        CipherScene(
            "CBC, 256 bits, from a passphrase",
            .passphrase(
                AESFormat(.cbc, initialVector: .fromKey),
                .pbkdf2(iterations: 2),
                keyLength: 32
            )
        ),
        CipherScene("age", .age),
    ]

    static let vector = (0..<16).map { UInt8(0xF0 + $0) }
    static let passphrase = Array("correct horse battery staple".utf8)

    init(_ name: String, _ kind: Kind) {
        self.testDescription = name
        self.kind = kind
    }

    private init(
        _ name: String,
        _ mode: AESFormat.Mode,
        _ keyLength: Int,
        _ vector: InitialVector,
        counter: UInt64 = 0,
        padding: AESFormat.Padding = .pkcs7,
        header: Int64 = 0
    ) {
        let format = AESFormat(
            mode,
            initialVector: vector,
            initialCounter: counter,
            padding: padding,
            plainHeaderLength: header
        )
        self.init(name, .aes(format, keyLength: keyLength))
    }

    static func key(_ length: Int) -> [UInt8] { (0..<length).map { UInt8($0 * 7 + 1) } }

    static let identity: AgeIdentity = {
        let text = "AGE-SECRET-KEY-1C8VY442DR03L7V5PL2D40GNSGGMPFUXV58HEDQGGV4EGGQ0DHYHSY4VMAG"
        guard let identity = try? AgeIdentity(parsing: text) else {
            preconditionFailure("a test's identity is one")
        }
        return identity
    }()

    var decryption: Decryption {
        get throws {
            switch self.kind {
            case .aes(let format, let keyLength):
                try .aes(format, key: .key(CipherKey(SecretBytes(Self.key(keyLength)))))
            case .passphrase(let format, let derivation, let keyLength):
                try .aes(
                    format,
                    key: .passphrase(SecretBytes(Self.passphrase), derivation, keyLength: keyLength)
                )
            case .age: .age(.identities([Self.identity]))
            }
        }
    }

    /// Whether the format can encrypt a plain file of this length.
    func allows(_ length: Int) -> Bool {
        guard case .aes(let format, _) = self.kind, format.mode != .ctr, format.padding == .none
        else {
            return true
        }
        return length < format.plainHeaderLength
            || (length - Int(format.plainHeaderLength)).isMultiple(of: 16)
    }

    /// The stored file of a plain file.
    func stored(_ plain: [UInt8]) throws -> [UInt8] {
        switch self.kind {
        case .aes(let format, let keyLength):
            let isPrefix = format.mode != .ecb && format.initialVector == .prefix
            var vector = Self.vector
            if case .bytes(let bytes) = format.initialVector {
                vector = bytes + Array(repeating: 0, count: 16 - bytes.count)
            }
            let header = Int(format.plainHeaderLength)
            guard plain.count >= header else { return (isPrefix ? vector : []) + plain }
            let sealed = try Self.encrypted(
                Array(plain[header...]),
                format,
                Self.key(keyLength),
                vector
            )
            return (isPrefix ? vector : []) + plain[..<header] + sealed
        case .passphrase(let format, let derivation, let keyLength):
            let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
            guard case .pbkdf2(let iterations, .sha256) = derivation else { return [] }
            let derived = try KDF.Insecure.PBKDF2.deriveKey(
                from: Self.passphrase,
                salt: salt,
                using: .sha256,
                outputByteCount: keyLength + 16,
                unsafeUncheckedRounds: iterations
            ).withUnsafeBytes { Array($0) }
            let sealed = try Self.encrypted(
                plain,
                format,
                Array(derived[..<keyLength]),
                Array(derived[keyLength...])
            )
            return Array("Salted__".utf8) + salt + sealed
        case .age:
            // Another test checks the sealer against the program age.
            var sealer = try Sealer(.age([Self.identity.recipient]))
            return try sealer.begin() + plain.withUnsafeBytes { try sealer.seal($0) }
                + sealer.finish()
        }
    }

    private static func encrypted(
        _ plain: [UInt8],
        _ format: AESFormat,
        _ key: [UInt8],
        _ vector: [UInt8]
    ) throws -> [UInt8] {
        let symmetric = SymmetricKey(data: key)
        // Encryption block by block is slow, so larger files use the library.
        if plain.count > 4_096, format.mode == .ctr {
            let start = Self.number(vector) &+ UInt128(format.initialCounter)
            let nonce = try AES._CTR.Nonce(
                nonceBytes: withUnsafeBytes(of: start.bigEndian) { Array($0) }
            )
            return try Array(AES._CTR.encrypt(plain, using: symmetric, nonce: nonce))
        }
        if plain.count > 4_096, format.mode == .cbc {
            let isPadded = format.padding == .pkcs7
            let start = try AES._CBC.IV(ivBytes: vector)
            return try Array(
                AES._CBC.encrypt(plain, using: symmetric, iv: start, noPadding: !isPadded)
            )
        }
        switch format.mode {
        case .ctr:
            var counter = Self.number(vector) &+ UInt128(format.initialCounter)
            var sealed: [UInt8] = []
            for start in stride(from: 0, to: plain.count, by: 16) {
                var stream = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
                try AES.permute(&stream, key: symmetric)
                sealed += zip(plain[start..<min(start + 16, plain.count)], stream).map { $0 ^ $1 }
                counter &+= 1
            }
            return sealed
        case .cbc, .ecb:
            var padded = plain
            if format.padding == .pkcs7 {
                let count = 16 - plain.count % 16
                padded += Array(repeating: UInt8(count), count: count)
            }
            var last = vector
            var sealed: [UInt8] = []
            for start in stride(from: 0, to: padded.count - padded.count % 16, by: 16) {
                var block = Array(padded[start..<(start + 16)])
                if format.mode == .cbc { block = zip(block, last).map { $0 ^ $1 } }
                try AES.permute(&block, key: symmetric)
                last = block
                sealed += block
            }
            return sealed
        }
    }

    private static func number(_ bytes: [UInt8]) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// A source of the plain bytes of a stored file.
    func source(
        stored: [UInt8],
        chunkSize: Int = 65_536,
        isLengthKnown: Bool = true
    ) throws -> CipherSource {
        let base = MemorySource(
            bytes: stored,
            validator: .revision("1"),
            isLengthKnown: isLengthKnown,
            chunkSize: chunkSize
        )
        return CipherSource(
            base,
            decryption: try self.decryption,
            for: KeyRequest(resource: "a test's file")
        )
    }
}

extension ByteSource {
    /// Reads a range to its end; every chunk must follow the last one.
    func bytes(_ range: RequestedRange = .whole) async throws -> [UInt8] {
        let reading = try await self.read(range)
        var bytes: [UInt8] = []
        for try await chunk in reading {
            guard chunk.range.lowerBound == reading.lowerBound + Int64(bytes.count) else {
                throw SourceError(.badAnswer, "A chunk at \(chunk.range) is out of its place.")
            }
            bytes += try chunk.bytes()
        }
        if let end = reading.upperBound, end != reading.lowerBound + Int64(bytes.count) {
            throw SourceError(.badAnswer, "\(bytes.count) bytes came, and \(end) was the end.")
        }
        return bytes
    }
}
