// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Encrypts into the age format.
struct AgeSealer: Sendable {
    let prefix: [UInt8]
    private let payload: AgePayload
    private var held: HeldBytes
    private var chunk: Int64 = 0

    init(_ recipients: [AgeRecipient], chunkSize: Int = AgePayload.chunkSize) throws(CipherError) {
        let fileKey = SecretBytes(count: 16) { room in
            var generator = SystemRandomNumberGenerator()
            for place in room.indices {
                room[place] = .random(in: .min ... .max, using: &generator)
            }
        }
        let nonce = AESBlock.random()
        self.prefix = try AgeHeaderWriter.bytes(fileKey: fileKey, for: recipients) + nonce
        self.payload = AgePayload(fileKey: fileKey, nonce: nonce, chunkSize: chunkSize)
        self.held = HeldBytes(unit: chunkSize)
    }

    mutating func seal(_ bytes: UnsafeRawBufferPointer) throws(CipherError) -> [UInt8] {
        let chunks = self.held.take(bytes, keepsLast: true)
        var sealed: [UInt8] = []
        for start in stride(from: 0, to: chunks.count, by: self.payload.chunkSize) {
            sealed += try self.sealed(
                Array(chunks[start..<(start + self.payload.chunkSize)]),
                isLast: false
            )
        }
        return sealed
    }

    mutating func finish() throws(CipherError) -> [UInt8] {
        try self.sealed(self.held.takeRest(), isLast: true)
    }

    private mutating func sealed(_ bytes: [UInt8], isLast: Bool) throws(CipherError) -> [UInt8] {
        defer { self.chunk += 1 }
        return try ByteRun.withBytes(of: bytes) { bytes throws(CipherError) in
            try self.payload.seal(bytes, self.chunk, isLast: isLast)
        }
    }
}
