// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AESFormat {
    /// Looks whether the parts go together.
    func check(with key: AESKeySource) throws(CipherError) {
        guard (0...(1 << 40)).contains(self.plainHeaderLength) else {
            throw CipherError(
                .invalidSettings,
                "A plain header has 0 to 1 TiB, and \(self.plainHeaderLength) bytes were named."
            )
        }
        if case .passphrase(_, let derivation, let keyLength) = key {
            guard [16, 24, 32].contains(keyLength) else {
                throw CipherError(
                    .invalidSettings,
                    "An AES key has 16, 24 or 32 bytes; \(keyLength) cannot be derived."
                )
            }
            guard self.initialVector == .fromKey || self.mode == .ecb else {
                throw CipherError(
                    .invalidSettings,
                    "A passphrase brings its own initialization vector; leave the other one out."
                )
            }
            if case .pbkdf2(let iterations, _) = derivation, !(1...100_000_000).contains(iterations)
            {
                throw CipherError(
                    .invalidSettings,
                    "PBKDF2 takes 1 to 100,000,000 iterations, and \(iterations) were asked for."
                )
            }
        }
        guard self.mode != .ecb else { return }
        switch self.initialVector {
        case .bytes(let bytes):
            guard bytes.count == 16 || self.mode == .ctr && (8...16).contains(bytes.count) else {
                throw CipherError(
                    .invalidSettings,
                    "An initialization vector has 16 bytes (8 to 16 for CTR), and this one has \(bytes.count); check it."
                )
            }
        case .prefix: break
        case .fromKey:
            if case .key = key {
                throw CipherError(
                    .invalidSettings,
                    "A key alone brings no initialization vector; name one, or say that it is the first 16 bytes."
                )
            }
        }
    }
}
