// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
package import WeirSource

/// A background fetch of the whole resource, for a user that reads none of it.
struct Filling: Sendable {
    /// Whether to store the resource although the origin forbids it, because the user has asked for that.
    var storesForbidden: Bool
}

extension CachedSource {
    /// Fetches all missing bytes of the resource, from the first hole to the last, and returns when all are durable.
    ///
    /// Readers come first: while one of them lacks a byte, only their bytes are fetched. Held bytes are neither
    /// read nor fetched again. If all bytes are held already, asks the origin whether they are current, if the
    /// policy wants that.
    ///
    /// - Parameters:
    ///   - storesForbidden: whether to store a resource that the origin forbids to store.
    ///   - known: called once, when the description is known, and before all bytes are held.
    /// - Throws: the errors of a reading. `SourceError` with `changed` if the origin has another version, which a
    ///   new call fetches; with `cacheFailed` if the bytes cannot be kept, with the reason as its cause; with
    ///   `forbidden` if the origin forbids storing them; with `badAnswer` if nothing proves where the resource
    ///   ends. The errors of `known`. `CancellationError`.
    package func fill(
        storesForbidden: Bool,
        whenKnown known: @Sendable (ResourceDescription) async throws -> Void
    ) async throws {
        try Task.checkCancellation()
        let filling = Filling(storesForbidden: storesForbidden)
        try await self.loader.prepareToFill(filling)
        let id = try await self.loader.enter(.whole, filling: filling)
        do {
            guard let description = try await self.loader.description(for: id) else {
                throw await self.loader.fillFailure
            }
            try await known(description)
            var position: Int64 = 0
            while let next = try await self.loader.fill(id, from: position) { position = next }
            try await self.loader.saveFilled()
            await self.loader.depart(id)
        } catch {
            await self.loader.depart(id)
            throw error
        }
    }
}

extension ResourceLoader {
    /// Checks that the resource can be stored, and asks the origin about a completely held one.
    func prepareToFill(_ filling: Filling) async throws {
        if let generation = try self.adoptedGeneration() {
            let end = generation.description.length ?? .max
            guard generation.held.firstMissing(in: 0..<end) == nil else { return }
        }
        try await self.confirm(before: nil)
        guard !self.isForbidden || filling.storesForbidden else { throw self.fillFailure }
    }

    /// Waits until a byte is held.
    ///
    /// - Parameters:
    ///   - id: the reader that fills.
    ///   - position: its position.
    /// - Returns: the end of the byte's run; `nil` at the end of the resource.
    /// - Throws: why the byte cannot be fetched or kept; `CancellationError`.
    func fill(_ id: DemandID, from position: Int64) async throws -> Int64? {
        switch try await self.pull(id, at: position) {
        case .held(let generation, let limit):
            return generation.held.run(containing: position)?.upperBound ?? limit
        case .coming: return position
        case .end:
            let reader = self.readers[id]
            guard (reader?.generation?.description ?? self.description)?.length != nil else {
                throw SourceError(
                    .badAnswer,
                    "The origin does not say how long \(self.key.display) is, so Weir cannot tell whether it received all of it; it can be played, but not downloaded."
                )
            }
            return nil
        case .direct:
            guard self.degradation == nil else { throw self.fillFailure }
            throw SourceError(
                .changed,
                "The cached bytes of \(self.key.display) were removed while it was downloaded; download it again."
            )
        }
    }

    /// Makes the bytes of a completely filled resource durable.
    ///
    /// - Throws: `SourceError` with `cacheFailed`, and the reason as its cause.
    func saveFilled() async throws {
        do throws(CacheError) {
            try await self.generation?.checkpoint()
        } catch {
            throw SourceError(.cacheFailed, error.message, cause: error)
        }
    }

    /// The reason why no bytes can be kept.
    var fillFailure: SourceError {
        self.degradation
            ?? SourceError(
                .cacheFailed,
                "\(self.key.display) cannot be kept in the cache; check whether the disk is full."
            )
    }
}
