// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension ByteSourceContract {
    /// Readers that leave before, while and after they read.
    static let cancellationClauses: [Clause] = [
        Clause("refuses a task that was cancelled before") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let reading = try await source.read(.whole)
            try await examination.expectCancellation(of: "a description") {
                _ = try await source.describe()
            }
            try await examination.expectCancellation(of: "a reading") {
                _ = try await source.read(.whole)
            }
            try await examination.expectCancellation(of: "a chunk") {
                _ = try await reading.makeAsyncIterator().next()
            }
            try await examination.expectBytes(
                .whole,
                of: source,
                are: 0..<resource.length,
                in: resource
            )
        },
        Clause("lets a cancelled reader go at once", needs: .holding) { examination in
            for offset: Int64 in [0, 70_001] {
                let resource = ContractResource(holdBefore: offset)
                let source = try await examination.subject(of: resource).source
                let gate = resource.hold?.gate ?? Gate(isOpen: true)
                try await examination.expectDeparture(
                    from: source,
                    of: resource,
                    ready: {
                        examination.await("the origin to stand at its hold before \(offset)")
                        try await gate.waitForWaiters(1)
                    }
                )
                gate.open()
                try await examination.expectBytes(
                    .whole,
                    of: source,
                    are: 0..<resource.length,
                    in: resource
                )
            }
        },
        Clause("harms no reader when another one leaves", needs: .holding) { examination in
            let resource = ContractResource(holdBefore: 70_001)
            let source = try await examination.subject(of: resource).source
            let gate = resource.hold?.gate ?? Gate(isOpen: true)
            let whole = 0..<resource.length
            let started = Watched(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await examination.beside {
                        let reading = try await source.read(.whole)
                        try await examination.takeAll(
                            of: reading,
                            in: resource,
                            onFirstChunk: { started.update { $0 += 1 } }
                        )
                    }
                }
                try await examination.expectDeparture(
                    from: source,
                    of: resource,
                    onFirstChunk: { started.update { $0 += 1 } },
                    ready: {
                        examination.await("the first chunk of both readers")
                        try await started.wait { $0 == 2 }
                        try await gate.waitForWaiters(1)
                    }
                )
                gate.open()
                try await group.waitForAll()
            }
        },
        Clause("lets a task be cancelled after it has read") { examination in
            let resource = ContractResource()
            let source = try await examination.subject(of: resource).source
            let whole = 0..<resource.length
            try await withThrowingTaskGroup(of: Void.self) { group in
                let hasRead = Gate()
                group.addTask {
                    try await examination.beside {
                        try await examination.expectBytes(
                            .whole,
                            of: source,
                            are: whole,
                            in: resource
                        )
                    }
                    hasRead.open()
                    examination.await("the cancellation")
                    try? await Gate().wait()
                }
                try await hasRead.wait()
                group.cancelAll()
                try await group.waitForAll()
            }
            try await examination.expectBytes(.whole, of: source, are: whole, in: resource)
        },
    ]
}

extension Examination {
    /// Runs an operation in a task that has already been cancelled.
    func expectCancellation(
        of what: String,
        _ operation: @escaping @Sendable () async throws -> Void
    ) async throws {
        self.await("\(what) to be refused to a cancelled task")
        let result = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            group.cancelAll()
            group.addTask {
                do { return .success(try await operation()) } catch { return .failure(error) }
            }
            return await group.next()
        }
        try self.expectCancelled(result, what)
    }

    /// Reads all of a resource in a task that is cancelled when everything is ready.
    func expectDeparture(
        from source: any ByteSource,
        of resource: ContractResource,
        onFirstChunk: @escaping @Sendable () -> Void = {},
        ready: () async throws -> Void
    ) async throws {
        let result = try await withThrowingTaskGroup(
            of: Result<Void, any Error>.self
        ) { group in
            group.addTask {
                do {
                    try await self.beside {
                        let reading = try await source.read(.whole)
                        try await self.takeAll(
                            of: reading,
                            in: resource,
                            onFirstChunk: onFirstChunk
                        )
                        throw self.violation("finished a reading that the origin holds")
                    }
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try await ready()
            group.cancelAll()
            self.await("a cancelled reader to leave")
            return try await group.next()
        }
        try self.expectCancelled(result, "a reading")
    }

    private func expectCancelled(_ result: Result<Void, any Error>?, _ what: String) throws {
        switch result {
        case .failure(let violation as ContractViolation): throw violation
        case .failure(is CancellationError): return
        case .failure(let error):
            throw self.violation("answered the cancellation of \(what) by \(error)")
        case .success, nil: throw self.violation("finished \(what) in a task that was cancelled")
        }
    }
}

extension ByteSourceContract {
    /// Promises of a source while no consumer pulls.
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
