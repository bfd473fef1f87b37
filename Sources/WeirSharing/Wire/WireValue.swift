// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
import WeirSource

/// A value in messages between processes.
///
/// An integer has its fixed width, least significant byte first; `Int` has 64 bits. A flag is a
/// byte, 0 or 1. A text is its number of bytes in 32 bits, then its UTF-8. A list is its number of
/// elements in 32 bits, then the elements. An optional value is a flag, and the value if the flag
/// is 1.
///
/// Reading never traps, and allocates at most a small multiple of the message's size.
protocol WireValue: Sendable {
    /// Reads the value.
    ///
    /// - Throws: ``WeirCache/CacheError/otherVersion`` if the bytes are not a value of this type.
    init(from buffer: inout WireBuffer) throws(CacheError)
    /// Appends the value.
    func write(to buffer: inout WireBuffer)
}

extension CacheError {
    /// The error of a process that cannot read the other's messages.
    ///
    /// Every version of Weir contains this text, and ``Message/refusal`` sends it.
    package static let otherVersion = CacheError(
        .inUse,
        "The cache directory is used by another version of Weir, which does not understand this one; end one of the two."
    )
}

extension WireBuffer {
    /// Appends values one after the other.
    mutating func write<each Value: WireValue>(_ values: repeat each Value) {
        repeat (each values).write(to: &self)
    }

    /// Reads the next value.
    mutating func read<Value: WireValue>(_ type: Value.Type = Value.self) throws(CacheError)
        -> Value
    {
        try Value(from: &self)
    }
}

extension WireValue where Self: FixedWidthInteger {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        guard let value = buffer.takeInteger(Self.self) else {
            throw CacheError.otherVersion
        }
        self = value
    }

    func write(to buffer: inout WireBuffer) {
        buffer.append(integer: self)
    }
}

extension UInt8: WireValue {}
extension UInt32: WireValue {}
extension UInt64: WireValue {}
extension Int64: WireValue {}

extension Int: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(clamping: try buffer.read(Int64.self))
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(Int64(self))
    }
}

extension Bool: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 0: self = false
        case 1: self = true
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(UInt8(self ? 1 : 0))
    }
}

extension String: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let count = Int(clamping: try buffer.read(UInt32.self))
        guard let bytes = buffer.take(count),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw CacheError.otherVersion }
        self = text
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(UInt32(clamping: self.utf8.count))
        buffer.append(self.utf8)
    }
}

extension Optional: WireValue where Wrapped: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self = try buffer.read(Bool.self) ? try buffer.read(Wrapped.self) : nil
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self != nil)
        self?.write(to: &buffer)
    }
}

extension Array: WireValue where Element: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let count = Int(clamping: try buffer.read(UInt32.self))
        // Every element takes at least one byte.
        guard count <= buffer.count else { throw CacheError.otherVersion }
        self = []
        for _ in 0..<count { self.append(try buffer.read()) }
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(UInt32(clamping: self.count))
        for element in self { element.write(to: &buffer) }
    }
}

/// In nanoseconds; a negative or very long duration is read as 0 or a billion seconds.
extension Duration: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let nanoseconds = try buffer.read(Int64.self)
        self = .nanoseconds(Swift.min(Swift.max(0, nanoseconds), 1_000_000_000_000_000_000))
    }

    func write(to buffer: inout WireBuffer) {
        let (seconds, attoseconds) = Swift.min(Swift.max(.zero, self), .seconds(1_000_000_000))
            .components
        buffer.write(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}

// Types of WeirSource, as messages encode them. An impossible length is read as unknown.

extension Validator: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .entityTag(try buffer.read())
        case 2: self = .lastModified(try buffer.read(), length: try buffer.read())
        case 3: self = .revision(try buffer.read())
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .entityTag(let tag): buffer.write(UInt8(1), tag)
        case .lastModified(let date, let length): buffer.write(UInt8(2), date, length)
        case .revision(let name): buffer.write(UInt8(3), name)
        }
    }
}

extension ReadDemand.Version: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(validator: try buffer.read(), length: try buffer.read())
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.validator, self.length)
    }
}

extension RequestedRange: WireValue {
    /// Whether the range is valid: no bound is before the first byte.
    var isMeant: Bool {
        switch self {
        case .from(let lower): lower >= 0
        case .span(let range): range.lowerBound >= 0
        case .suffix(let count): count >= 0
        }
    }

    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .from(try buffer.read())
        case 2:
            let (lower, upper) = (try buffer.read(Int64.self), try buffer.read(Int64.self))
            guard lower <= upper else { throw CacheError.otherVersion }
            self = .span(lower..<upper)
        case 3: self = .suffix(try buffer.read())
        default: throw CacheError.otherVersion
        }
        guard self.isMeant else { throw CacheError.otherVersion }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .from(let lower): buffer.write(UInt8(1), lower)
        case .span(let range): buffer.write(UInt8(2), range.lowerBound, range.upperBound)
        case .suffix(let count): buffer.write(UInt8(3), count)
        }
    }
}

extension ReadDemand: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(try buffer.read(), version: try buffer.read())
        self.takesWhole = try buffer.read()
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.range, self.version, self.takesWhole)
    }
}

extension ResourceDescription: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(
            length: try buffer.read(Int64?.self).flatMap(ResourceLength.checked),
            mediaType: try buffer.read(String?.self).flatMap { MediaType(headerValue: $0) },
            validator: try buffer.read(),
            name: try buffer.read(),
            acceptsRanges: try buffer.read(),
            generation: try buffer.read(UInt64?.self).map { GenerationID(rawValue: $0) },
            cacheDirectives: try buffer.read()
        )
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(
            self.length,
            self.mediaType?.essence,
            self.validator,
            self.name,
            self.acceptsRanges,
            self.generation?.rawValue,
            self.cacheDirectives
        )
    }
}

extension CacheDirectives: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(forbidsStoring: try buffer.read(), freshness: try buffer.read())
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.forbidsStoring, self.freshness)
    }
}

/// The bounds of the held runs, in pairs, and the length.
extension Availability: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let bounds = try buffer.read([Int64].self)
        var held = RangeSet<Int64>()
        for index in stride(from: 0, to: bounds.count - 1, by: 2) {
            let run = ResourceLength.checked(from: bounds[index], to: bounds[index + 1])
            if let run { held.insert(contentsOf: run) }
        }
        self.init(
            held: held,
            length: try buffer.read(Int64?.self).flatMap(ResourceLength.checked)
        )
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.held.ranges.flatMap { [$0.lowerBound, $0.upperBound] }, self.length)
    }
}
