// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Ranges that lie within the resource.
    static let rangeClauses: [Clause] = [
        Clause("describes the resource") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            examination.await("a description")
            let length = try await source.describe().length
            try examination.expect(
                length == resource.length,
                otherwise: "described \(resource.length) bytes as \(length as Int64?)"
            )
        },
        Clause("yields the whole resource") { examination in
            try await examination.expectRanges { length in
                [.whole: 0..<length, .span(0..<length): 0..<length]
            }
        },
        Clause("yields the start") { examination in
            try await examination.expectRanges { _ in
                [.span(0..<1): 0..<1, .span(0..<2): 0..<2, .span(0..<70_000): 0..<70_000]
            }
        },
        Clause("yields the middle") { examination in
            try await examination.expectRanges { length in
                [
                    .span(65_535..<65_537): 65_535..<65_537,
                    .span(100_001..<150_002): 100_001..<150_002,
                    .from(123_457): 123_457..<length,
                ]
            }
        },
        Clause("yields the last byte") { examination in
            try await examination.expectRanges { length in
                let last = (length - 1)..<length
                return [.span(last): last, .from(length - 1): last, .suffix(1): last]
            }
        },
        Clause("yields a suffix") { examination in
            try await examination.expectRanges { length in
                [
                    .suffix(1_000): (length - 1_000)..<length,
                    .suffix(length - 1): 1..<length,
                    .suffix(length): 0..<length,
                ]
            }
        },
    ]
}

extension Examination {
    /// Reads ranges of one standard resource, each of a source of its own and all of one source.
    func expectRanges(
        isLengthKnown: Bool = true,
        _ ranges: (Int64) -> KeyValuePairs<RequestedRange, Range<Int64>>
    ) async throws {
        let resource = ContractResource(isLengthKnown: isLengthKnown)
        let shared = try await self.subject(of: resource).source
        for (requested, range) in ranges(resource.length) {
            let fresh = try await self.subject(of: resource).source
            try await self.expectBytes(requested, of: fresh, are: range, in: resource)
            try await self.expectBytes(requested, of: shared, are: range, in: resource)
        }
    }
}
