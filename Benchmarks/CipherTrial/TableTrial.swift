// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher
import WeirSource
import WeirTestKit

/// Decrypts every plain range of files of 0 to 100 bytes, with stored bytes in pieces of 1 to 33
/// bytes.
struct TableTrial {
    func run() async throws {
        try await withThrowingTaskGroup(of: (String, Int).self) { group in
            for scheme in try TrialScheme.all() {
                group.addTask { (scheme.name, try await self.count(scheme)) }
            }
            for try await (name, count) in group {
                Program.print(["scheme": name, "ranges": count, "wrong": 0])
            }
        }
    }

    private func count(_ scheme: TrialScheme) async throws -> Int {
        var count = 0
        for length in 0...100 {
            guard let (stored, plain) = try await scheme.file(length) else { continue }
            for piece in 1...33 {
                let source = scheme.source(
                    MemorySource(bytes: stored, validator: .revision("1"), chunkSize: piece)
                )
                for lower in 0...length {
                    for upper in lower...length {
                        var bytes: [UInt8] = []
                        let range = Int64(lower)..<Int64(upper)
                        for try await chunk in try await source.read(.span(range)) {
                            bytes += try chunk.bytes()
                        }
                        guard bytes.elementsEqual(plain[lower..<upper]) else {
                            fatalError(
                                "\(scheme.name): \(range) of \(length) in pieces of \(piece) is wrong"
                            )
                        }
                        count += 1
                    }
                }
            }
        }
        return count
    }
}
