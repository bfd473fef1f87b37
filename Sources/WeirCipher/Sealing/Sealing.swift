// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a publisher encrypts media: the formats that ``Decryption`` reads, as far as anybody should write them.
public enum Sealing: Sendable {
    /// AES-CTR.
    ///
    /// Without a vector a random one is made, and put in front of the file (``InitialVector/prefix``).
    case aesCTR(CipherKey, initialVector: [UInt8]? = nil, initialCounter: UInt64 = 0)
    /// AES-CBC with PKCS#7 padding; the vector as for CTR, but of 16 bytes.
    case aesCBC(CipherKey, initialVector: [UInt8]? = nil)
    /// age v1 for these recipients: one or more public keys, or one passphrase and nothing else.
    case age([AgeRecipient])
}
