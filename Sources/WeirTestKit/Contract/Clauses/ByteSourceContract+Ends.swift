// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Ranges at, over and past the end of the resource.
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
