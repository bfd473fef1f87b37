// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Demands for one version, and resources that change.
    static let versionClauses: [Clause] = [
        Clause("reads on in the version that was asked for") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            examination.await("a description with a version")
            let version = try await source.read(.span(0..<1)).resource.version
            let rest = 100_000..<resource.length
            for version in [version, ReadDemand.Version(validator: nil, length: nil)] {
                let reading = try await examination.start(
                    ReadDemand(.from(100_000), version: version),
                    of: source,
                    expecting: rest,
                    in: resource
                )
                try await examination.take(
                    of: reading.makeAsyncIterator(),
                    expecting: rest,
                    in: resource
                )
            }
        },
        Clause("refuses another version than the one that was asked for") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            examination.await("a description to differ from")
            let description = try await source.read(.span(0..<1)).resource
            var versions = [
                ReadDemand.Version(validator: description.validator, length: resource.length + 1)
            ]
            if description.validator != nil {
                let other = Validator.entityTag("\"another generation\"")
                versions.append(ReadDemand.Version(validator: other, length: resource.length))
            }
            for version in versions {
                try await examination.expectRefusal(
                    .changed,
                    ReadDemand(.from(100_000), version: version),
                    of: source
                )
            }
            // A source that has not read the resource yet must refuse these versions, too.
            let fresh = try await examination.subject(of: resource).source
            for version in versions {
                try await examination.expectRefusal(
                    .changed,
                    ReadDemand(.from(100_000), version: version),
                    of: fresh
                )
            }
        },
        Clause(
            "never mixes two generations",
            needs: [.holding, .replacement]
        ) { examination in
            let old = ContractResource(holdBefore: 70_001)
            let subject = try await examination.subject(of: old)
            let gate = old.hold?.gate ?? Gate(isOpen: true)
            let new = ContractResource(length: old.length, seed: 2)
            async let running = examination.beside {
                try await examination.generation(of: subject.source, among: [old, new])
            }
            examination.await("the origin to stand at its hold")
            try await gate.waitForWaiters(1)
            try await subject.replace?(new)
            gate.open()
            _ = try await running
            _ = try await examination.generation(of: subject.source, among: [old, new])
        },
    ]
}

extension Examination {
    /// Reads all of a resource, and finds out which of several resources it is.
    ///
    /// - Returns: `nil` if the reading ended with `changed`; else the resource that all bytes
    ///   belong to.
    func generation(
        of source: any ByteSource,
        among resources: [ContractResource]
    ) async throws -> ContractResource? {
        var position: Int64 = 0
        var candidates = resources
        do {
            let reading = try await source.read(.whole)
            for try await chunk in reading {
                let bytes = try chunk.bytes()
                candidates.removeAll { $0.bytes(in: chunk.range) != bytes }
                try self.expect(
                    chunk.range.lowerBound == position && !candidates.isEmpty,
                    otherwise: "yielded bytes of several generations, the first at \(chunk.range)"
                )
                position = chunk.range.upperBound
            }
        } catch let error as SourceError where error.code == .changed {
            return nil
        }
        try self.expect(
            position == candidates.first?.length,
            otherwise: "ended the resource at \(position)"
        )
        return candidates.first
    }
}
