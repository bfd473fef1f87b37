// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirLoader
import WeirSource

// Types of WeirCache and WeirLoader, as messages encode them.

extension ResourceKey: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let key = ResourceKey(
            identifier: try buffer.read(),
            account: try buffer.read(),
            display: try buffer.read()
        )
        guard let key else { throw CacheError.otherVersion }
        self = key
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.identifier, self.account, self.display)
    }
}

extension SharedResource: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(key: try buffer.read(), isOffline: try buffer.read())
    }

    func write(to buffer: inout WireBuffer) { buffer.write(self.key, self.isOffline) }
}

extension SharedText: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let count = Int(clamping: try buffer.read(UInt32.self))
        guard count <= Self.longest, let bytes = buffer.take(count) else {
            throw CacheError.otherVersion
        }
        self.init(Array(bytes), at: try buffer.read(), entityTag: try buffer.read())
        (self.age, self.lasts) = (try buffer.read(), try buffer.read())
        guard self.location.utf8.count <= Self.longestName,
            self.entityTag?.utf8.count ?? 0 <= Self.longestName, self.lasts <= .seconds(3600)
        else { throw CacheError.otherVersion }
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(UInt32(clamping: self.bytes.count))
        buffer.append(self.bytes)
        buffer.write(self.location, self.entityTag, self.age, self.lasts)
    }
}

/// Numbers out of range are read as the nearest valid ones.
extension LoadPolicy: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(
            prefetch: try buffer.read(),
            readAhead: min(try buffer.read(), 1 << 40),
            reach: min(try buffer.read(), 1 << 40),
            maximumFetches: min(try buffer.read(), 64),
            linger: try buffer.read(),
            maximumChunk: min(try buffer.read(), 1 << 30),
            revalidation: try buffer.read(),
            isImmutable: try buffer.read(),
            storesForbidden: try buffer.read(),
            heedsFreshness: try buffer.read(),
            whenGone: try buffer.read(),
            lingerWithoutRanges: try buffer.read()
        )
        self.immutableSince = try buffer.read()
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.prefetch, self.readAhead, self.reach, self.maximumFetches, self.linger)
        buffer.write(self.maximumChunk, self.revalidation, self.isImmutable, self.storesForbidden)
        buffer.write(self.heedsFreshness, self.whenGone, self.lingerWithoutRanges)
        buffer.write(self.immutableSince)
    }
}

extension PrefetchPolicy: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .nothing
        case 2: self = .whole
        case 3: self = .first(max(0, try buffer.read()))
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .nothing: buffer.write(UInt8(1))
        case .whole: buffer.write(UInt8(2))
        case .first(let count): buffer.write(UInt8(3), count)
        }
    }
}

extension Revalidation: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .always
        case 2: self = .after(try buffer.read())
        case 3: self = .never
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .always: buffer.write(UInt8(1))
        case .after(let time): buffer.write(UInt8(2), time)
        case .never: buffer.write(UInt8(3))
        }
    }
}

extension WhenGone: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .serve
        case 2: self = .refuseUnauthorized
        case 3: self = .refuse
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .serve: buffer.write(UInt8(1))
        case .refuseUnauthorized: buffer.write(UInt8(2))
        case .refuse: buffer.write(UInt8(3))
        }
    }
}

extension CacheLimits: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(
            byteCount: try buffer.read(),
            resourceCount: try buffer.read(),
            age: try buffer.read(),
            reserve: try buffer.read()
        )
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.byteCount, self.resourceCount, self.age, self.reserve)
    }
}

extension CachedResource: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(
            identifier: try buffer.read(),
            generation: GenerationID(rawValue: try buffer.read()),
            display: try buffer.read(),
            account: try buffer.read(),
            length: try buffer.read(Int64?.self).flatMap(ResourceLength.checked),
            heldByteCount: ResourceLength.checked(try buffer.read()) ?? 0,
            mediaType: try buffer.read(String?.self).flatMap { MediaType(headerValue: $0) },
            name: try buffer.read(),
            lastUse: try buffer.read(),
            created: try buffer.read(),
            isPinned: try buffer.read()
        )
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.identifier, self.generation.rawValue, self.display, self.account)
        buffer.write(self.length, self.heldByteCount, self.mediaType?.essence, self.name)
        buffer.write(self.lastUse, self.created, self.isPinned)
    }
}

/// Seconds since 1970 as a 64-bit floating-point number.
extension Date: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let seconds = Double(bitPattern: try buffer.read())
        guard seconds.isFinite else { throw CacheError.otherVersion }
        self.init(timeIntervalSince1970: seconds)
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.timeIntervalSince1970.bitPattern)
    }
}

extension SourceError: WireValue {
    /// Reads the error, without its cause.
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let code = Code(named: try buffer.read(String.self)) ?? .failed
        let message = try buffer.read(String.self)
        let ownerMessage = try buffer.read(String.self)
        let (lower, upper) = (try buffer.read(Int64?.self), try buffer.read(Int64?.self))
        var range: Range<Int64>?
        if let lower, let upper, lower <= upper { range = lower..<upper }
        self = SourceError(
            code,
            message,
            range: range,
            host: try buffer.read(),
            status: try buffer.read(),
            length: try buffer.read(Int64?.self).flatMap(ResourceLength.checked)
        )
        .tellingOwner(ownerMessage)
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.code.description, self.message, self.ownerMessage)
        buffer.write(self.range?.lowerBound, self.range?.upperBound)
        buffer.write(self.host, self.status, self.length)
    }
}

extension CacheError: WireValue {
    /// Reads the code and the message.
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(Code(named: try buffer.read(String.self)) ?? .io, try buffer.read())
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.code.description, self.message)
    }
}
