// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WeirCache

/// The commands on a cache's resources, other than playing them.
package enum CacheCommand: Hashable, Sendable {
    case list
    case remove(String)
    case removeAll
    case pin(String, Bool)
    case verify(String)
    case export(String, path: String)
}

extension CacheCommand {
    /// Carries out the command on its own thread.
    ///
    /// It waits for the disk, and comparing the cached bytes may take minutes.
    ///
    /// - Throws: `CacheError`; `CancellationError` from an export whose task is cancelled, which then leaves no file.
    func perform(on cache: Cache) async throws -> CommandResult {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    let result = Result {
                        try self.performWaiting(on: cache) {
                            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
                        }
                    }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func performWaiting(
        on cache: Cache,
        checkCancellation: () throws -> Void
    ) throws -> CommandResult {
        switch self {
        case .list:
            return .resources(try cache.resources())
        case .remove(let identifier):
            return .found(try cache.remove(identifier: identifier))
        case .removeAll:
            return .removed(try cache.removeAll())
        case .pin(let identifier, let isPinned):
            return .found(try cache.pin(identifier: identifier, isPinned))
        case .verify(let identifier):
            guard let found = try cache.verify(identifier: identifier) else { return .found(false) }
            return .verified(found)
        case .export(let identifier, let path):
            let count = try cache.export(
                identifier: identifier,
                to: path,
                checkCancellation: checkCancellation
            )
            return count.map { .exported($0) } ?? .found(false)
        }
    }
}

extension CacheCommand: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .list
        case 2: self = .remove(try buffer.read())
        case 3: self = .removeAll
        case 4: self = .pin(try buffer.read(), try buffer.read())
        case 5: self = .verify(try buffer.read())
        case 6: self = .export(try buffer.read(), path: try buffer.read())
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .list: buffer.write(UInt8(1))
        case .remove(let identifier): buffer.write(UInt8(2), identifier)
        case .removeAll: buffer.write(UInt8(3))
        case .pin(let identifier, let isPinned): buffer.write(UInt8(4), identifier, isPinned)
        case .verify(let identifier): buffer.write(UInt8(5), identifier)
        case .export(let identifier, let path): buffer.write(UInt8(6), identifier, path)
        }
    }
}
