// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A description of a resource: all known facts except its bytes.
public struct ResourceDescription: Hashable, Sendable {
    /// The facts of a description.
    private struct Fields: Hashable, Sendable {
        var length: Int64?
        var mediaType: MediaType?
        var validator: Validator?
        var name: String?
        var acceptsRanges: Bool?
        var generation: GenerationID?
        var cacheDirectives: CacheDirectives?
    }

    private final class Storage: Sendable {
        let fields: Fields
        /// Looked at for each request, so it is a stored property.
        let isStoredForm: Bool

        init(_ fields: Fields) {
            self.fields = fields
            self.isStoredForm = fields.validator?.isOfStoredForm ?? false
        }
    }

    /// Shared by all copies: each request passes a description on, and changes are rare.
    private var storage: Storage

    private var fields: Fields {
        get { self.storage.fields }
        set { self.storage = Storage(newValue) }
    }

    /// The length of the resource in bytes; `nil` while it is unknown.
    public var length: Int64? {
        get { self.storage.fields.length }
        set { self.fields.length = newValue }
    }

    /// The media type, as far as this source has determined it.
    public var mediaType: MediaType? {
        get { self.storage.fields.mediaType }
        set { self.fields.mediaType = newValue }
    }

    /// The validator that the origin reports for these bytes; `nil` if it reports no strong one.
    public var validator: Validator? {
        get { self.storage.fields.validator }
        set { self.fields.validator = newValue }
    }

    /// The file name, without a folder: `Song.mp3`.
    public var name: String? {
        get { self.storage.fields.name }
        set { self.fields.name = newValue }
    }

    /// Whether the origin answers range requests; `nil` until a response shows it.
    public var acceptsRanges: Bool? {
        get { self.storage.fields.acceptsRanges }
        set { self.fields.acceptsRanges = newValue }
    }

    /// Weir's own name for this generation: the same for every reader and after a restart.
    ///
    /// It differs after every change. `nil` for sources that store nothing.
    public var generation: GenerationID? {
        get { self.storage.fields.generation }
        set { self.fields.generation = newValue }
    }

    /// The origin's directives for caching these bytes; `nil` if it sends none.
    public var cacheDirectives: CacheDirectives? {
        get { self.storage.fields.cacheDirectives }
        set { self.fields.cacheDirectives = newValue }
    }

    /// Describes a resource.
    public init(
        length: Int64?,
        mediaType: MediaType? = nil,
        validator: Validator? = nil,
        name: String? = nil,
        acceptsRanges: Bool? = nil,
        generation: GenerationID? = nil,
        cacheDirectives: CacheDirectives? = nil
    ) {
        self.storage = Storage(
            Fields(
                length: length,
                mediaType: mediaType,
                validator: validator,
                name: name,
                acceptsRanges: acceptsRanges,
                generation: generation,
                cacheDirectives: cacheDirectives
            )
        )
    }

    /// Whether the bytes are a form of the resource for the cache alone, which no player gets.
    package var isStoredForm: Bool { self.storage.isStoredForm }

    /// Whether a description is an unchanged copy of this one: equal, and checked with one
    /// comparison.
    package func isCopy(of other: ResourceDescription) -> Bool {
        self.storage === other.storage
    }

    /// Whether two descriptions have the same facts.
    public static func == (left: ResourceDescription, right: ResourceDescription) -> Bool {
        left.storage === right.storage || left.fields == right.fields
    }

    /// Hashes all facts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.fields)
    }

    /// The version that a continued reading must ask for.
    public var version: ReadDemand.Version {
        ReadDemand.Version(validator: self.validator, length: self.length)
    }
}

/// The identity of a resource's generation: Weir's own name for it or, without one, the validator.
package enum ResourceIdentity: Hashable, Sendable {
    /// Weir's own name.
    case generation(GenerationID)
    /// The origin's validator.
    case validator(Validator)

    /// The identity in a description; `nil` if the description has no identity.
    package init?(_ description: ResourceDescription) {
        if let generation = description.generation {
            self = .generation(generation)
        } else if let validator = description.validator {
            self = .validator(validator)
        } else {
            return nil
        }
    }
}

/// Weir's name for one generation of one resource: 64 bits that are never used again.
public struct GenerationID: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let rawValue: UInt64

    /// Makes the name of a generation.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reads 16 hexadecimal digits, as ``description`` writes them.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let value = text.withUTF8 { digits -> UInt64? in
            guard digits.count == 16 else { return nil }
            var value: UInt64 = 0
            for byte in digits {
                guard let digit = byte.hexDigitValue else { return nil }
                value = value << 4 | UInt64(digit)
            }
            return value
        }
        guard let value else { return nil }
        self.rawValue = value
    }

    /// 16 hexadecimal digits in lower case.
    public var description: String {
        String(hexadecimalDigitsOf: self.rawValue)
    }
}

/// Distinguishes the generations of a resource.
///
/// Two bytes may be joined only if the validators of their responses are equal. Every case is
/// strong: the validator changes whenever a byte does, as far as the origin keeps its promise.
public enum Validator: Hashable, Sendable {
    /// A strong entity tag with its quotes, as in the `ETag` field (RFC 9110 §8.8.3).
    case entityTag(String)
    /// A `Last-Modified` field that is strong by RFC 9110 §8.8.2.2, with the length of the
    /// resource.
    case lastModified(String, length: Int64)
    /// A service's revision: a hash, a version number.
    case revision(String)
}

extension Validator {
    /// The start of the revision of a form that only the cache gets, such as that of a playlist
    /// without its signatures.
    package static let storedFormStart = "hls1 "

    fileprivate var isOfStoredForm: Bool {
        if case .revision(let text) = self { text.hasPrefix(Self.storedFormStart) } else { false }
    }
}

/// The response fields that distinguish the versions of a resource.
///
/// The servers of a farm often have entity tags of their own for the same file; then each server
/// seems to have another version.
public enum ValidatorPolicy: Hashable, Sendable {
    /// A strong entity tag; without one, `Last-Modified` with the length, where it is strong (RFC
    /// 9110 §8.8.2.2).
    case strong
    /// `Last-Modified` with the length; entity tags are ignored.
    ///
    /// Two files of the same length and date count as one version.
    case modified
}

/// An origin's directives for storing a resource, and for using it without revalidation (RFC 9111
/// §5.2.2).
public struct CacheDirectives: Hashable, Sendable {
    /// Whether the bytes must not be stored (`no-store`).
    public var forbidsStoring: Bool
    /// How long after the response the bytes may be used without asking the origin again.
    ///
    /// Zero for `no-cache`; `nil` if the origin does not say.
    public var freshness: Duration?

    /// Makes the directives of an origin.
    public init(forbidsStoring: Bool = false, freshness: Duration? = nil) {
        self.forbidsStoring = forbidsStoring
        self.freshness = freshness
    }
}
