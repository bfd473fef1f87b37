// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file key wrapped under a passphrase (age.md, "The scrypt recipient type").
struct ScryptStanza: Equatable {
    /// The first argument.
    static let name = "scrypt"
    /// The supported work factors; 30 takes a tebibyte of memory.
    static let workFactors = 1...30

    private static let saltCount = 16

    /// 16 random bytes.
    let salt: [UInt8]
    /// The base-two logarithm of the rounds, 1 to 63.
    let workFactor: Int
    /// 32 bytes.
    let wrapped: [UInt8]
    /// The position of the stanza in the file.
    let offset: Int64

    /// Reads a stanza whose first argument is ``name``.
    ///
    /// - Parameter stanza: the stanza.
    /// - Throws: ``CipherError`` with `damaged`.
    init(_ stanza: AgeStanza) throws(CipherError) {
        guard stanza.arguments.count == 3 else {
            throw stanza.damage("it has \(stanza.arguments.count) arguments instead of 3")
        }
        self.salt = try stanza.bytes(ofArgument: 1, count: Self.saltCount)
        let digits = stanza.arguments[2].utf8
        guard
            digits.count <= 2, digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let workFactor = Int(stanza.arguments[2]), (1...63).contains(workFactor)
        else {
            throw stanza.damage("its work factor is not a number from 1 to 63")
        }
        self.workFactor = workFactor
        self.wrapped = try stanza.wrappedFileKey()
        self.offset = stanza.offset
    }

    /// Wraps a file key; the work factor decides the time and the memory.
    ///
    /// - Parameters:
    ///   - fileKey: the file key of 16 bytes.
    ///   - passphrase: the passphrase, not empty.
    ///   - workFactor: one of ``workFactors``.
    /// - Returns: The stanza.
    /// - Throws: ``CipherError`` with `invalidSettings` for a work factor out of range, `invalidKey` for an empty
    ///   passphrase, and `tooCostly` if there is not enough memory.
    static func wrap(
        _ fileKey: SecretBytes,
        under passphrase: SecretBytes,
        workFactor: Int
    ) throws(CipherError) -> AgeStanza {
        guard Self.workFactors.contains(workFactor) else {
            throw CipherError(
                .invalidSettings,
                "The work factor of a passphrase is a number from 1 to 30, and not \(workFactor); 18 is usual."
            )
        }
        let salt = [UInt8].random(count: Self.saltCount)
        let wrapKey = try Self.wrapKey(passphrase, salt: salt, workFactor: workFactor)
        guard let body = try? AgeStanza.wrap(fileKey, under: wrapKey) else {
            throw CipherError(
                .invalidKey,
                "The file key cannot be wrapped; give a key of 16 bytes."
            )
        }
        let text = String(decoding: [UInt8](base64Of: salt), as: UTF8.self)
        return AgeStanza(arguments: [Self.name, text, String(workFactor)], body: body)
    }

    /// Unwraps the file key; the work factor decides the time and the memory, within the limit.
    ///
    /// - Parameters:
    ///   - passphrase: a passphrase to try.
    ///   - limit: the largest allowed work factor.
    /// - Returns: the file key of 16 bytes; `nil` if the passphrase is wrong.
    /// - Throws: ``CipherError`` with `tooCostly` above the limit, before any work, or if there is not enough
    ///   memory; `invalidKey` for an empty passphrase.
    func unwrap(
        with passphrase: SecretBytes,
        limit: Int
    ) throws(CipherError) -> SecretBytes? {
        guard self.workFactor <= min(limit, Self.workFactors.upperBound) else {
            throw CipherError(
                .tooCostly,
                "The file's passphrase has a work factor of \(self.workFactor), which takes "
                    + "\(Self.memory(self.workFactor)), and the limit is \(limit); raise the limit if you trust the "
                    + "file, or encrypt it with a smaller work factor.",
                offset: self.offset
            )
        }
        let wrapKey = try Self.wrapKey(passphrase, salt: self.salt, workFactor: self.workFactor)
        return AgeStanza.unwrap(self.wrapped, under: wrapKey)
    }

    /// Derives a key with scrypt (RFC 7914), with blocks of 8 × 128 bytes and without parallelism.
    private static func wrapKey(
        _ passphrase: SecretBytes,
        salt: [UInt8],
        workFactor: Int
    ) throws(CipherError) -> SymmetricKey {
        guard passphrase.count > 0 else {
            throw CipherError(
                .invalidKey,
                "The passphrase is empty; give the passphrase of the file."
            )
        }
        let derived = try passphrase.withUnsafeBytes { passphrase throws(CipherError) in
            try SystemCipherLibrary.scrypt(
                passphrase,
                salt: Array("age-encryption.org/v1/scrypt".utf8) + salt,
                ScryptCost(rounds: 1 << workFactor),
                count: 32
            )
        }
        guard let derived else {
            throw CipherError(
                .tooCostly,
                "Trying the passphrase needs \(Self.memory(workFactor)), which is not available; close other programs,"
                    + " or encrypt the file with a smaller work factor."
            )
        }
        return derived.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    /// The memory that scrypt takes: a kibibyte for each round.
    private static func memory(_ workFactor: Int) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"]
        return "\(1 << (workFactor % 10)) \(units[workFactor / 10]) of memory"
    }
}
