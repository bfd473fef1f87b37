// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The modes of operation of a cryptor (NIST SP 800-38A); not Apple's.
struct StubCryptor: Sendable {
    /// The result of a call.
    enum Outcome {
        /// The output bytes.
        case bytes([UInt8])
        /// The call is not allowed.
        case violation(String, Int)
    }

    let cipher: StubAES
    let mode: Int
    let isEncrypting: Bool
    let isPadded: Bool
    /// The counter, or the previous encrypted block.
    var vector: [UInt8]
    /// Bytes of an incomplete or possibly last block; for a counter, unused bytes of the key stream.
    var held: [UInt8] = []
    var isFinished = false

    /// Processes input bytes.
    mutating func update(_ input: [UInt8]) -> Outcome {
        guard !self.isFinished else {
            return .violation("bytes after the end", kCCCallSequenceError)
        }
        guard self.mode != kCCModeCTR else { return .bytes(input.map { $0 ^ self.nextOfStream() }) }
        self.held += input
        var count = self.held.count / 16 * 16
        // The last block has the padding, and it is not yet known whether another block follows.
        if self.isPadded, !self.isEncrypting, count == self.held.count, count > 0 { count -= 16 }
        let blocks = Array(self.held[..<count])
        self.held.removeFirst(count)
        return .bytes(self.blocks(blocks))
    }

    /// Ends the input.
    mutating func finish() -> Outcome {
        guard !self.isFinished else { return .violation("a second end", kCCCallSequenceError) }
        self.isFinished = true
        if self.mode == kCCModeCTR { return .bytes([]) }
        if self.isPadded, self.isEncrypting {
            let count = 16 - self.held.count
            return .bytes(self.blocks(self.held + Array(repeating: UInt8(count), count: count)))
        }
        guard self.held.count.isMultiple(of: 16) else {
            return .violation("\(self.held.count) bytes of a block", kCCAlignmentError)
        }
        let plain = self.blocks(self.held)
        guard self.isPadded, let last = plain.last, (1...16).contains(last) else {
            return .bytes(plain)
        }
        return .bytes(plain.dropLast(Int(last)))
    }

    private mutating func blocks(_ input: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for start in stride(from: 0, to: input.count, by: 16) {
            let block = Array(input[start..<(start + 16)])
            var done: [UInt8]
            if self.isEncrypting {
                let joined =
                    self.mode == kCCModeCBC ? zip(block, self.vector).map { $0 ^ $1 } : block
                done = self.cipher.encrypted(joined)
                self.vector = done
            } else {
                done = self.cipher.decrypted(block)
                if self.mode == kCCModeCBC { done = zip(done, self.vector).map { $0 ^ $1 } }
                self.vector = block
            }
            output += done
        }
        return output
    }

    /// The next byte of the key stream.
    private mutating func nextOfStream() -> UInt8 {
        if self.held.isEmpty {
            self.held = self.cipher.encrypted(self.vector).reversed()
            for index in self.vector.indices.reversed() {
                self.vector[index] &+= 1
                if self.vector[index] != 0 { break }
            }
        }
        return self.held.removeLast()
    }
}
