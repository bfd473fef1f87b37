// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
package import WeirSource

/// A fetch of the whole resource in the background, for a user that reads nothing of it.
struct Filling: Sendable {
    /// Whether the resource is stored though the origin forbids it: the user has asked for just that.
    var storesForbidden: Bool
}

extension CachedSource {
    /// Fetches what is not held of the resource, from the first hole to the last, and returns when all of it is held.
    ///
    /// Readers lead: while one of them lacks a byte, nothing is fetched for this call but what the reader wants. What is
    /// held is neither read nor fetched again. Where all is held already, the origin is asked whether it still has that
    /// version, as far as the policy says.
    ///
    /// - Parameters:
    ///   - storesForbidden: whether to store what the origin forbids to store.
    ///   - known: called once, when it is known what the resource is, and before all of it is held.
    /// - Throws: `SourceError` as a reading does; with `changed` when the origin has another version, which a new call
    ///   fetches; with `cacheFailed` when the bytes cannot be kept, with the reason as its cause; with `forbidden` when
    ///   the origin forbids to store them; with `badAnswer` when nothing proves where the resource ends. What `known`
    ///   throws. `CancellationError`.
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
            await self.loader.depart(id)
        } catch {
            await self.loader.depart(id)
            throw error
        }
    }
}

extension ResourceLoader {
    /// Looks whether the resource can be filled, and asks the origin about one of which nothing is missing.
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
    ///   - position: where it is.
    /// - Returns: the end of the run that the byte is in; `nil` at the end of the resource.
    /// - Throws: why the byte cannot be had or kept; `CancellationError`.
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
                    "The origin does not say how long \(self.key.display) is, and nothing proves that all of it came; it can be played, but not downloaded."
                )
            }
            return nil
        case .direct:
            guard self.degradation == nil else { throw self.fillFailure }
            throw SourceError(
                .changed,
                "What is held of \(self.key.display) was removed while it was downloaded; download it again."
            )
        }
    }

    /// Why nothing can be kept.
    var fillFailure: SourceError {
        self.degradation
            ?? SourceError(
                .cacheFailed,
                "\(self.key.display) cannot be kept in the cache; see whether the disk is full."
            )
    }
}
