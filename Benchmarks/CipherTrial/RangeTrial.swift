// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher
import WeirSource
import WeirTestKit

/// Decrypts random ranges of a large file: from memory in pieces of random sizes, and from disk.
struct RangeTrial {
    let count: Int

    func run() async throws {
        let length = 100 << 20
        for scheme in try TrialScheme.all() {
            guard let (stored, plain) = try await scheme.file(length) else { continue }
            var generator = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
            let disk = scheme.source(ResidentSource(ScriptedResource(bytes: stored)))
            _ = try await disk.describe()
            for number in 0..<self.count {
                let lower = Int.random(in: 0..<length, using: &generator)
                let most = 1 << Int.random(in: 0...21, using: &generator)
                let range = lower..<min(length, lower + Int.random(in: 1...most, using: &generator))
                let asked = RequestedRange.span(Int64(range.lowerBound)..<Int64(range.upperBound))
                let memory = scheme.source(
                    MemorySource(
                        bytes: stored,
                        validator: .revision("1"),
                        chunkSize: Int.random(in: 1_000...200_000, using: &generator)
                    )
                )
                var bytes: [UInt8] = []
                for try await chunk in try await memory.read(asked) { bytes += try chunk.bytes() }
                let slice = try disk.residentSlice(asked)?.load().withUnsafeBytes { Array($0) }
                guard bytes.elementsEqual(plain[range]), slice?.elementsEqual(plain[range]) == true
                else {
                    fatalError(
                        "\(scheme.name): \(range), number \(number) of seed \(generator.seed), is wrong"
                    )
                }
            }
            Program.print(["scheme": scheme.name, "ranges": self.count, "wrong": 0])
        }
    }
}
