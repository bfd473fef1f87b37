// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import WeirCache

/// The result of a command.
package enum CommandResult: Hashable, Sendable {
    case resources([CachedResource])
    /// Whether the resource exists.
    case found(Bool)
    case verified(CacheVerification)
    /// How many bytes were written.
    case exported(Int64)
    /// Everything was removed, with these numbers.
    case removed(CacheRemoval)
}

extension CommandResult: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .resources(try buffer.read())
        case 2: self = .found(try buffer.read())
        case 3:
            self = .verified(
                CacheVerification(
                    soundByteCount: max(0, try buffer.read()),
                    damagedByteCount: max(0, try buffer.read())
                )
            )
        case 4: self = .exported(try buffer.read())
        case 5:
            self = .removed(
                CacheRemoval(
                    resourceCount: max(0, try buffer.read()),
                    byteCount: max(0, try buffer.read())
                )
            )
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .resources(let list): buffer.write(UInt8(1), list)
        case .found(let isFound): buffer.write(UInt8(2), isFound)
        case .verified(let found):
            buffer.write(UInt8(3), found.soundByteCount, found.damagedByteCount)
        case .exported(let count): buffer.write(UInt8(4), count)
        case .removed(let removed):
            buffer.write(UInt8(5), removed.resourceCount, removed.byteCount)
        }
    }
}
