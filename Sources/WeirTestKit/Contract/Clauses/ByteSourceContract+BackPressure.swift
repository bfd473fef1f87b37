// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// What a source does while nobody pulls.
    static let backPressureClauses: [Clause] = [
        Clause("takes no more from its origin than it may", needs: .originCount) { examination in
            let readAhead = examination.contract.readAhead
            let resource = ContractResource(length: 1_048_583 + 4 * readAhead)
            let subject = try await examination.subject(of: resource)
            let whole = 0..<resource.length
            let iterator = try await examination.start(
                ReadDemand(.whole),
                of: subject.source,
                expecting: whole,
                in: resource
            ).makeAsyncIterator()
            var position: Int64 = 0
            for _ in 0..<3 {
                position = try await examination.take(
                    1,
                    of: iterator,
                    from: position,
                    expecting: whole,
                    in: resource
                )
                examination.await("the source to come to rest")
                try await subject.quiescence?()
                let taken = subject.originByteCount?() ?? 0
                try examination.expect(
                    taken <= position + readAhead,
                    otherwise: "took \(taken) bytes from its origin for a consumer of \(position)"
                )
            }
            try await examination.take(
                of: iterator,
                from: position,
                expecting: whole,
                in: resource
            )
        }
    ]
}
