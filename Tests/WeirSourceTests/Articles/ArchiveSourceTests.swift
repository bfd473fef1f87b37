// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

/// The example of the article "Writing a source".
@Suite("The source of the article")
struct ArchiveSourceTests {
    /// An archive whose one entry is a resource of the contract.
    struct ContractArchive: Archive {
        let resource: ContractResource

        func bytes(of entry: Entry, in range: Range<Int64>) async throws -> [UInt8] {
            if let hold = self.resource.hold, range.upperBound > hold.offset {
                try await hold.gate.wait()
            }
            return self.resource.bytes(in: range)
        }
    }

    @Test("keeps the contract of all sources", arguments: ByteSourceContract.clauses)
    func keepsTheContract(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(abilities: .holding) { resource in
            let entry = Entry(size: resource.length, name: "song.mp3", hash: "1")
            return ContractSubject(source(of: entry, in: ContractArchive(resource: resource)))
        }
        try await clause.check(contract)
    }
}
