// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

/// What the article "Writing a source" shows.
@Suite("The source of the article")
struct FetchedSourceTests {
    @Test("keeps the contract of all sources", arguments: ByteSourceContract.clauses)
    func keepsTheContract(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(abilities: .holding) { resource in
            ContractSubject(
                FetchedSource(length: resource.length, name: "song.mp3", version: "1") { range in
                    if let hold = resource.hold, range.upperBound > hold.offset {
                        try await hold.gate.wait()
                    }
                    return resource.bytes(in: range)
                }
            )
        }
        try await clause.check(contract)
    }

    @Test("refuses a piece that is too short")
    func refusesShortPieces() async throws {
        let source = FetchedSource(length: 100, name: "song.mp3", version: "1") { _ in [1, 2, 3] }
        let reading = try await source.read(.whole)
        let error = await #expect(throws: SourceError.self) {
            for try await _ in reading {}
        }
        #expect(error?.code == .truncated)
    }
}
