// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Ranges within the resource.
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
    /// Reads ranges of one standard resource, each from a source of its own and also all from one
    /// source.
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

extension ByteSourceContract {
    /// Resources whose length the origin does not announce.
    static let lengthClauses: [Clause] = [
        Clause("reads a resource of unknown length", needs: .unknownLength) { examination in
            try await examination.expectRanges(isLengthKnown: false) { length in
                [
                    .whole: 0..<length,
                    .span(0..<70_000): 0..<70_000,
                    .span(100_001..<150_002): 100_001..<150_002,
                    .from(123_457): 123_457..<length,
                    .span((length - 10)..<(length + 10)): (length - 10)..<length,
                    .from(length): length..<length,
                ]
            }
        },
        Clause("reads an empty resource of unknown length", needs: .unknownLength) { examination in
            let resource = ContractResource(length: 0, isLengthKnown: false)
            let source = try await examination.subject(of: resource).source
            try await examination.expectBytes(.whole, of: source, are: 0..<0, in: resource)
        },
        Clause(
            "says of an end without proof that it proves nothing",
            needs: [.unknownLength, .unprovenEnd]
        ) { examination in
            let resource = ContractResource(isLengthKnown: false, provesEnd: false)
            let source = try await examination.subject(of: resource).source
            for range in [RequestedRange.whole, .from(100_001)] {
                examination.await("the answer to \(range)")
                let reading = try await source.read(range)
                try examination.expect(
                    !reading.provesEnd,
                    otherwise: "took the end of \(range) for the end of the resource"
                )
            }
        },
        Clause("refuses a start past an unknown end", needs: .unknownLength) { examination in
            let resource = ContractResource(isLengthKnown: false)
            let source = try await examination.subject(of: resource).source
            examination.await("the refusal of a start past the end")
            do {
                // The source does not know the end before it reads. So the error may also come with
                // the first chunk.
                let reading = try await source.read(.from(resource.length + 1))
                _ = try await reading.makeAsyncIterator().next()
            } catch let error as SourceError where error.code == .rangeNotSatisfiable {
                return
            }
            throw examination.violation("read past the end instead of refusing it")
        },
    ]

    /// Ranges at, across and past the end of the resource.
    static let endClauses: [Clause] = [
        Clause("cuts a range at the end of the resource") { examination in
            try await examination.expectRanges { length in
                let tail = (length - 10)..<length
                return [
                    .span((length - 10)..<(length + 10)): tail,
                    .span((length - 10)..<Int64.max): tail,
                    .span(0..<(length + 1)): 0..<length,
                ]
            }
        },
        Clause("yields all of the resource for a longer suffix") { examination in
            try await examination.expectRanges { length in
                [.suffix(length + 1): 0..<length, .suffix(.max): 0..<length]
            }
        },
        Clause("yields nothing exactly at the end") { examination in
            try await examination.expectRanges { length in
                let nothing = length..<length
                return [
                    .from(length): nothing,
                    .span(length..<(length + 1)): nothing,
                    .span(length..<Int64.max): nothing,
                ]
            }
        },
        Clause("refuses a start past the end") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let length = resource.length
            let ranges: [RequestedRange] = [
                .from(length + 1), .span((length + 1)..<(length + 2)), .from(.max),
                .span((Int64.max - 1)..<Int64.max),
            ]
            for range in ranges {
                try await examination.expectRefusal(
                    .rangeNotSatisfiable,
                    ReadDemand(range),
                    of: source
                )
            }
            try await examination.expectBytes(
                .from(length - 1),
                of: source,
                are: (length - 1)..<length,
                in: resource
            )
        },
        Clause("yields nothing for an empty range") { examination in
            try await examination.expectRanges { length in
                [.span(0..<0): 0..<0, .span(5..<5): 5..<5, .span(length..<length): length..<length]
            }
        },
        Clause("reads an empty resource") { examination in
            let resource = ContractResource(length: 0)
            let source = try await examination.subject(of: resource).source
            let ranges: [RequestedRange] = [.whole, .span(0..<10), .suffix(5), .span(0..<0)]
            for range in ranges {
                try await examination.expectBytes(range, of: source, are: 0..<0, in: resource)
            }
            try await examination.expectRefusal(
                .rangeNotSatisfiable,
                ReadDemand(.from(1)),
                of: source
            )
        },
    ]
}
