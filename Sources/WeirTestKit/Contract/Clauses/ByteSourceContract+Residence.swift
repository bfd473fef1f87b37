// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// What a source says of bytes that lie close by.
    static let residenceClauses: [Clause] = [
        Clause("lends from disk the bytes that it reads") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let length = resource.length
            let ranges: KeyValuePairs<RequestedRange, Range<Int64>> = [
                .whole: 0..<length, .span(100..<70_000): 100..<70_000,
                .from(length - 1): (length - 1)..<length, .suffix(9): (length - 9)..<length,
                .span((length - 3)..<Int64.max): (length - 3)..<length,
            ]
            for isHeld in [false, true] {
                for (requested, range) in ranges {
                    guard let slice = source.residentSlice(requested) else { continue }
                    try examination.expect(
                        slice.description.length == length,
                        otherwise: "lent bytes of a resource of another length"
                    )
                    try examination.compare(
                        ByteChunk(slice),
                        at: range.lowerBound,
                        within: range,
                        in: resource
                    )
                }
                for requested in [RequestedRange.from(length + 1), .from(.max), .from(length)] {
                    try examination.expect(
                        source.residentSlice(requested) == nil,
                        otherwise: "lent bytes of \(requested), where none are"
                    )
                }
                guard !isHeld else { break }
                try await examination.expectBytes(
                    .whole,
                    of: source,
                    are: 0..<length,
                    in: resource
                )
            }
        },
        Clause("holds nothing outside of the resource") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let whole = 0..<resource.length
            try await examination.expectBytes(.whole, of: source, are: whole, in: resource)
            examination.await("the first value of the availability")
            var changes = source.availabilityChanges().makeAsyncIterator()
            guard let first = await changes.next() else {
                throw examination.violation("ended its availability without a value")
            }
            for availability in [source.availability(), first] {
                let outside = availability.held.ranges.first { !whole.contains($0) }
                try examination.expect(
                    outside == nil,
                    otherwise: "claimed to hold bytes outside of \(whole)"
                )
                try examination.expect(
                    availability.length == nil || availability.length == resource.length,
                    otherwise: "gave its availability a length of \(availability.length as Int64?)"
                )
            }
        },
    ]
}
