// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WeirCache

extension CacheCommand {
    /// Carries the command out, on a thread of its own: it waits for the disk, and comparing what is held may take
    /// minutes.
    ///
    /// - Throws: `CacheError`.
    func perform(on cache: Cache) async throws -> CommandResult {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.performWaiting(on: cache) })
            }
        }
    }

    private func performWaiting(on cache: Cache) throws -> CommandResult {
        switch self {
        case .list:
            return .resources(try cache.resources().map(ResourceMessage.init))
        case .remove(let identifier):
            return .found(try cache.remove(identifier: identifier))
        case .removeAll:
            return .done(removed: RemovalMessage(try cache.removeAll()))
        case .pin(let identifier, let isPinned):
            return .found(try cache.pin(identifier: identifier, isPinned))
        case .verify(let identifier):
            guard let found = try cache.verify(identifier: identifier) else { return .found(false) }
            return .verified(sound: found.soundByteCount, damaged: found.damagedByteCount)
        case .export(let identifier, let path):
            guard let count = try cache.export(identifier: identifier, to: path) else {
                return .found(false)
            }
            return .exported(count)
        }
    }
}
