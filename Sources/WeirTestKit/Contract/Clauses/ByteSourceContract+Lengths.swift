// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Resources whose origin does not tell their length.
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
        Clause("refuses a start past an unknown end", needs: .unknownLength) { examination in
            let resource = ContractResource(isLengthKnown: false)
            let source = try await examination.subject(of: resource).source
            examination.await("the refusal of a start past the end")
            do {
                // Where the end is cannot be known before it is found: the first chunk may refuse, too.
                let reading = try await source.read(.from(resource.length + 1))
                _ = try await reading.makeAsyncIterator().next()
            } catch let error as SourceError where error.code == .rangeNotSatisfiable {
                return
            }
            throw examination.violation("read past the end instead of refusing it")
        },
    ]
}
