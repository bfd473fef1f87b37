// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Several readers of one source, one after the other and at the same time.
    static let readerClauses: [Clause] = [
        Clause("describes the resource to every reader alike") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            examination.await("three descriptions")
            let first = try await source.read(.whole).resource
            let second = try await source.read(.suffix(7)).resource
            let third = try await source.describe()
            for other in [second, third] {
                try examination.expect(
                    other.validator == first.validator && other.length == first.length
                        && other.generation == first.generation,
                    otherwise: "described one resource as \(first) and as \(other)"
                )
            }
        },
        Clause("serves a reader while another one rests") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let whole = 0..<resource.length
            let resting = try await examination.start(
                ReadDemand(.whole),
                of: source,
                expecting: whole,
                in: resource
            ).makeAsyncIterator()
            let position = try await examination.take(
                1,
                of: resting,
                expecting: whole,
                in: resource
            )
            try await examination.expectBytes(.whole, of: source, are: whole, in: resource)
            try await examination.expectBytes(
                .from(150_000),
                of: source,
                are: 150_000..<resource.length,
                in: resource
            )
            try await examination.take(
                of: resting,
                from: position,
                expecting: whole,
                in: resource
            )
        },
        Clause("serves readers at the same time") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let length = resource.length
            try await withThrowingTaskGroup(of: Void.self) { group in
                for start in [0, 0, 99_991, length - 5_000] {
                    group.addTask {
                        try await examination.beside {
                            try await examination.expectBytes(
                                .from(start),
                                of: source,
                                are: start..<length,
                                in: resource
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
        Clause("serves on after a reading was dropped") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let whole = 0..<resource.length
            for _ in 0..<3 {
                let reading = try await examination.start(
                    ReadDemand(.whole),
                    of: source,
                    expecting: whole,
                    in: resource
                )
                try await examination.take(
                    1,
                    of: reading.makeAsyncIterator(),
                    expecting: whole,
                    in: resource
                )
            }
            _ = try await source.read(.from(77_777))
            try await examination.expectBytes(.whole, of: source, are: whole, in: resource)
        },
    ]

    /// Promises about the bytes that a source holds.
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
                        slice.resource.length == length,
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
            for availability in [source.availability, first] {
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
