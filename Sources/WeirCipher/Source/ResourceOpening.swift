// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import WeirSource

/// Reads the facts about a stored resource that decryption needs.
struct ResourceOpening: Sendable {
    let base: any ByteSource
    let scheme: Decryption.Scheme
    /// The request for a key; the file's name is added when the resource is known.
    let keyRequest: KeyRequest

    /// The resource's name.
    var resource: String { self.keyRequest.resource }

    /// Whether the description and a key suffice, so that no byte must be read.
    var needsNoBytes: Bool {
        guard case .aes(let format, let keys) = self.scheme else { return false }
        return self.prefixLength(format, keys) == 0 && !format.isPadded
    }

    /// The layout before the file is known, for schemes that need no bytes of it.
    var emptyLayout: StoredLayout {
        guard case .aes(let format, _) = self.scheme,
            let layout = try? format.layout(prefix: 0, storedLength: nil, paddingLength: 0)
        else { return StoredLayout(plainUnit: 1, storedUnit: 1) }
        return layout
    }

    /// Opens the current resource.
    ///
    /// - Parameter stored: the description of the resource, if known.
    /// - Returns: the opened resource.
    /// - Throws: `SourceError`, `CancellationError`, the errors of a key provider.
    func open(_ stored: ResourceDescription?) async throws -> OpenedResource {
        do {
            switch self.scheme {
            case .aes(let format, let keys): return try await self.openAES(format, keys, stored)
            case .age(let keys): return try await self.openAge(keys, stored)
            case .format(let format): return try await self.open(format, stored)
            }
        } catch let error as CipherError {
            throw SourceError(await self.explained(error, stored))
        }
    }

    /// The error to report for a failed opening: if the file has another known format, an error
    /// that says so.
    private func explained(_ error: CipherError, _ stored: ResourceDescription?) async
        -> CipherError
    {
        guard [.wrongKey, .damaged, .unsupported].contains(error.code),
            let (head, _) = try? await self.bytes(.span(0..<32), of: stored, atMost: 32),
            let form = head.withUnsafeBytes({ EncryptedForm(of: $0) })
        else { return error }
        switch (form, self.scheme) {
        case (.age, .age), (_, .format), (.openSSL, .aes(_, .passphrase)): return error
        case (.age, .aes): return Self.isAge
        case (.openSSL, _): return Self.isOpenSSL
        }
    }

    /// The error for a prefix that belongs to another format instead of being a vector.
    ///
    /// Without padding, no other check would find the wrong format.
    private static func otherForm(_ prefix: [UInt8], _ keys: AESKeySource) -> CipherError? {
        if case .passphrase = keys { return nil }
        if prefix.elementsEqual("age-encryption.o".utf8) { return Self.isAge }
        return prefix.starts(with: "Salted__".utf8) ? Self.isOpenSSL : nil
    }

    private static let isAge = CipherError(
        .wrongKey,
        "The file was encrypted with age and not with AES alone; name age as its format, with an identity or a passphrase."
    )

    private static let isOpenSSL = CipherError(
        .wrongKey,
        "The file was encrypted by openssl enc with a passphrase; name aes-cbc, or another mode of AES, as its format,"
            + " and how the key is derived from the passphrase, as in --kdf pbkdf2."
    )

    // MARK: AES

    private func openAES(
        _ format: AESFormat,
        _ keys: AESKeySource,
        _ known: ResourceDescription?
    ) async throws -> OpenedResource {
        var stored = known
        // Padding hides the plain length, so the last two blocks are read: CBC needs the first to
        // decrypt the last, which shows the length.
        var tail: [UInt8] = []
        if format.isPadded, stored == nil || stored?.length != nil {
            let size = Int64(2 * AESFormat.blockSize)
            (tail, stored) = try await self.tail(size, of: stored)
        }
        var prefix: [UInt8] = []
        let prefixLength = self.prefixLength(format, keys)
        if prefixLength > 0 {
            (prefix, stored) = try await self.bytes(
                .span(0..<prefixLength),
                of: stored,
                atMost: prefixLength
            )
            guard prefix.count == Int(prefixLength) else { throw CipherError.cutOff }
            if let other = Self.otherForm(prefix, keys) { throw other }
        }
        let description: ResourceDescription
        if let stored { description = stored } else { description = try await self.base.describe() }
        let material = try await self.material(keys, prefix, description)
        let cipher = try format.cipher(material, prefix: prefix)
        var layout = try format.layout(
            prefix: prefixLength,
            storedLength: description.length,
            paddingLength: 0
        )
        if format.isPadded, let length = description.length, length > layout.firstUnit {
            let last = Array(tail.suffix(AESFormat.blockSize))
            let before = Array(tail.dropLast(AESFormat.blockSize).suffix(Int(layout.lookBehind)))
            let unit = layout.unit(at: length - Int64(AESFormat.blockSize))
            let plain = try last.withUnsafeBytes { last in
                try before.withUnsafeBytes { before in
                    try cipher.decrypt(last, from: unit, after: before, isLast: true)
                }
            }
            let padding = plain.count - (try self.plainCount(of: plain, by: cipher, keys))
            layout.plainLength = layout.plainLength.map { $0 - Int64(padding) }
        }
        return OpenedResource(
            description,
            layout,
            cipher,
            fingerprint: try format.fingerprint(material, prefix: prefix)
        )
    }

    /// The last bytes; empty if the length is unknown, as for an origin that cannot serve a suffix.
    private func tail(
        _ size: Int64,
        of stored: ResourceDescription?
    ) async throws -> ([UInt8], ResourceDescription) {
        do {
            let (tail, description) = try await self.bytes(.suffix(size), of: stored, atMost: size)
            return (description.length == nil ? [] : tail, description)
        } catch let error as SourceError where error.code == .badAnswer {
            let description = try await self.base.describe()
            guard description.length == nil else { throw error }
            return ([], description)
        }
    }

    /// How many of the last bytes belong to the file.
    ///
    /// - Throws: ``CipherError`` with `wrongKey`; for a passphrase it says that the key derivation
    ///   may be wrong.
    private func plainCount(
        of plain: Data,
        by cipher: AESCipher,
        _ keys: AESKeySource
    ) throws(CipherError) -> Int {
        do throws(CipherError) {
            return try cipher.plainCount(ofLast: plain)
        } catch {
            guard error.code == .wrongKey, case .passphrase = keys else { throw error }
            throw KeyDerivation.wrongPassphrase
        }
    }

    private func prefixLength(_ format: AESFormat, _ keys: AESKeySource) -> Int64 {
        if case .passphrase = keys { return KeyDerivation.prefixLength }
        return format.mode != .ecb && format.initialVector == .prefix
            ? Int64(AESFormat.blockSize) : 0
    }

    private func material(
        _ keys: AESKeySource,
        _ prefix: [UInt8],
        _ stored: ResourceDescription
    ) async throws -> KeyMaterial {
        switch keys {
        case .key(let key): return KeyMaterial(key)
        case .provider(let provider): return try await provider(self.request(stored))
        case .passphrase(let passphrase, let derivation, let keyLength):
            return try await Self.deriving {
                try derivation.material(passphrase, prefix: prefix, keyLength: keyLength)
            }
        }
    }

    // MARK: age

    private func openAge(_ keys: AgeKeySource, _ known: ResourceDescription?) async throws
        -> OpenedResource
    {
        let (header, nonce, stored) = try await self.ageHeader(known)
        let identities =
            switch keys {
            case .identities(let identities): identities
            case .provider(let provider): try await provider(self.request(stored))
            }
        let fileKey = try await Self.deriving { try header.fileKey(for: identities) }
        let payload = AgePayload(fileKey: fileKey, nonce: nonce)
        let layout = try payload.layout(
            headerLength: Int64(header.length),
            storedLength: stored.length
        )
        // Another key opens nothing, so it cannot produce other bytes.
        let opened = OpenedResource(stored, layout, payload, fingerprint: 0)
        if let length = stored.length {
            // Verifies the end of the file before the length is reported.
            let last = layout.unit(at: length - 1)
            let span = layout.start(ofUnit: last)..<length
            let (bytes, _) = try await self.bytes(.span(span), of: stored, atMost: length)
            guard bytes.count == Int(length - span.lowerBound) else { throw CipherError.cutOff }
            _ = try bytes.withUnsafeBytes { bytes in
                try payload.decrypt(bytes, from: last, after: bytes, isLast: true)
            }
        }
        return opened
    }

    /// Reads until the header and the payload's nonce are complete.
    private func ageHeader(
        _ known: ResourceDescription?
    ) async throws -> (AgeHeader, nonce: [UInt8], ResourceDescription) {
        var stored = known
        var bytes: [UInt8] = []
        var step: Int64 = 512
        while true {
            let start = Int64(bytes.count)
            let end = start + step
            let (more, description) = try await self.bytes(
                .span(start..<end),
                of: stored,
                atMost: step
            )
            stored = description
            bytes += more
            if let header = try AgeHeader.read(bytes),
                bytes.count >= header.length + AgePayload.nonceSize
            {
                let nonce = bytes[header.length..<(header.length + AgePayload.nonceSize)]
                return (header, Array(nonce), description)
            }
            guard more.count == Int(step) else { throw CipherError.cutOff }
            step = end
        }
    }

    // MARK: Custom formats

    private func open(_ format: any CipherFormat, _ known: ResourceDescription?) async throws
        -> OpenedResource
    {
        let stored: ResourceDescription
        if let known { stored = known } else { stored = try await self.base.describe() }
        let file = StoredFile(resource: stored, name: self.resource) { range, limit in
            try await self.bytes(range, of: stored, atMost: limit).0
        }
        let opened = try await format.open(file)
        return OpenedResource(
            stored,
            opened.layout,
            opened.cipher,
            fingerprint: opened.fingerprint
        )
    }

    // MARK: Shared parts

    /// Runs one derivation after the other, since scrypt may take 256 MiB for each.
    private static let derivations = DispatchQueue(
        label: "weir.cipher.derivation",
        qos: .userInitiated
    )

    /// Derives a key on a separate queue, so that it does not block other tasks.
    ///
    /// It cannot be cancelled: the caller waits for its end.
    private static func deriving<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.derivations.async {
                continuation.resume(with: Result { try work() })
            }
        }
    }

    private func request(_ stored: ResourceDescription) -> KeyRequest {
        var request = self.keyRequest
        request.fileName = stored.name
        return request
    }

    /// Reads a few bytes, of the known generation if there is one.
    ///
    /// - Returns: the bytes, fewer if the resource ends, and the description of the resource.
    private func bytes(
        _ range: RequestedRange,
        of stored: ResourceDescription?,
        atMost limit: Int64
    ) async throws -> ([UInt8], ResourceDescription) {
        let reading = try await self.base.read(ReadDemand(range, version: stored?.version))
        if let stored, ResourceIdentity(stored) != ResourceIdentity(reading.resource) {
            throw CipherSource.changed
        }
        var bytes: [UInt8] = []
        for try await chunk in reading {
            bytes += try chunk.bytes()
            if bytes.count >= limit { break }
        }
        return (Array(bytes.prefix(Int(limit))), reading.resource)
    }
}
