// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// One generation of the resource behind a ``ScriptedSource``: its bytes and its description.
public struct ScriptedResource: Sendable {
    /// The bytes.
    public enum Content: Sendable {
        /// ``PatternBytes`` of a seed.
        case pattern(seed: UInt64)
        /// Given bytes.
        case bytes([UInt8])
    }

    /// The bytes.
    public let content: Content
    /// The number of bytes, whether descriptions have it or not.
    public let length: Int64
    /// Whether descriptions have the length.
    public var isLengthKnown = true
    /// Whether readings say that their end proves the end of the resource.
    public var provesEnd = true
    /// The validator in descriptions.
    public var validator: Validator?
    /// The media type in descriptions.
    public var mediaType: MediaType?
    /// The name in descriptions.
    public var name: String?
    /// Whether descriptions say that the resource accepts range requests.
    ///
    /// The source answers range requests in either case.
    public var acceptsRanges: Bool? = true
    /// The generation in descriptions.
    public var generation: GenerationID?
    /// The cache directives in descriptions.
    public var cacheDirectives: CacheDirectives?

    /// A pattern with an entity tag that contains its seed.
    public init(length: Int64, seed: UInt64 = 1) {
        precondition(length >= 0, "a length is not negative")
        self.content = .pattern(seed: seed)
        self.length = length
        self.validator = .entityTag("\"pattern-\(seed)-\(length)\"")
    }

    /// Given bytes, without a validator.
    public init(bytes: [UInt8]) {
        self.content = .bytes(bytes)
        self.length = Int64(bytes.count)
    }

    /// The source's description of the resource.
    public var resourceDescription: ResourceDescription {
        ResourceDescription(
            length: self.isLengthKnown ? self.length : nil,
            mediaType: self.mediaType,
            validator: self.validator,
            name: self.name,
            acceptsRanges: self.acceptsRanges,
            generation: self.generation,
            cacheDirectives: self.cacheDirectives
        )
    }

    /// The bytes of a range within the resource.
    public func bytes(in range: Range<Int64>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= self.length, "outside")
        return switch self.content {
        case .pattern(let seed): PatternBytes.bytes(in: range, seed: seed)
        case .bytes(let bytes): Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }
}
