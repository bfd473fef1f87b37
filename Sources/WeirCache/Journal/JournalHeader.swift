// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// The header at the start of a journal.
struct JournalHeader: Hashable, Sendable, Codable {
    /// The resource's identifier, as in the file's name.
    var resource: String
    /// The generation, as in the file's name.
    var generation: String
    /// The text that lists of the cache show.
    var display: String
    /// The account of these bytes.
    var account: String
    /// When the generation was created, in milliseconds since 1970.
    var created: Int64
    /// The length of the resource in bytes, if known at the start.
    var length: Int64?
    /// The media type's essence.
    var mediaType: String?
    /// The file name that the origin gave.
    var name: String?
    /// Whether the origin answers range requests.
    var acceptsRanges: Bool?
    /// A strong entity tag.
    var entityTag: String?
    /// A strong `Last-Modified` field, valid with ``lastModifiedLength``.
    var lastModified: String?
    /// The length that belongs to ``lastModified``.
    var lastModifiedLength: Int64?
    /// A service's revision.
    var revision: String?

    /// How many seconds after a response the bytes may be used without asking the origin; `nil` if not stated.
    var freshness: Int64?

    /// Creates the header of a generation.
    init(
        _ key: ResourceKey,
        _ generation: GenerationID,
        _ description: ResourceDescription,
        created: Int64
    ) {
        self.resource = key.identifier
        self.generation = generation.description
        self.display = key.display
        self.account = key.account
        self.created = created
        self.length = description.length
        self.mediaType = description.mediaType?.essence
        self.name = description.name
        self.acceptsRanges = description.acceptsRanges
        self.freshness = description.cacheDirectives?.freshness.map { $0.components.seconds }
        switch description.validator {
        case .entityTag(let tag):
            self.entityTag = tag
        case .lastModified(let date, let length):
            self.lastModified = date
            self.lastModifiedLength = length
        case .revision(let revision):
            self.revision = revision
        case nil:
            break
        }
    }

    /// The generation's description at its start.
    var description: ResourceDescription {
        ResourceDescription(
            length: self.length,
            mediaType: self.mediaType.flatMap(MediaType.init(headerValue:)),
            validator: self.validator,
            name: self.name,
            acceptsRanges: self.acceptsRanges,
            generation: GenerationID(self.generation),
            cacheDirectives: self.freshness.map {
                CacheDirectives(freshness: .seconds(max(0, $0)))
            }
        )
    }

    private var validator: Validator? {
        if let tag = self.entityTag { return .entityTag(tag) }
        if let date = self.lastModified, let length = self.lastModifiedLength {
            return .lastModified(date, length: length)
        }
        return self.revision.map(Validator.revision)
    }

    /// The bytes of prologue and header.
    ///
    /// - Throws: the errors of the JSON encoder, which never fails for this type.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = try encoder.encode(self)
        var bytes = JournalFormat.magic
        JournalFormat.append(JournalFormat.version, to: &bytes)
        JournalFormat.append(Checksum().taking(bytes).value, to: &bytes)
        JournalFormat.append(UInt32(clamping: payload.count), to: &bytes)
        bytes.append(contentsOf: payload)
        JournalFormat.append(Checksum().taking(bytes).value, to: &bytes)
        return bytes
    }

    /// Reads the JSON of a header.
    init(json: ArraySlice<UInt8>) throws {
        if let header = json.withUnsafeBytes({ JournalHeader(PlainObject($0)) }) {
            self = header
        } else {
            self = try JSONDecoder().decode(JournalHeader.self, from: Data(json))
        }
    }

    /// Reads a plain object; `nil` if it has another form, lacks a member or has an unknown one.
    init?(_ object: PlainObject) {
        var object = object
        var (resource, generation, display, account): (String?, String?, String?, String?)
        var created: Int64?
        while let member = object.next() {
            switch member {
            case ("resource", .text(let text)): resource = text
            case ("generation", .text(let text)): generation = text
            case ("display", .text(let text)): display = text
            case ("account", .text(let text)): account = text
            case ("created", .number(let number)): created = number
            case ("length", .number(let number)): self.length = number
            case ("mediaType", .text(let text)): self.mediaType = text
            case ("name", .text(let text)): self.name = text
            case ("acceptsRanges", .truth(let truth)): self.acceptsRanges = truth
            case ("entityTag", .text(let text)): self.entityTag = text
            case ("lastModified", .text(let text)): self.lastModified = text
            case ("lastModifiedLength", .number(let number)): self.lastModifiedLength = number
            case ("revision", .text(let text)): self.revision = text
            case ("freshness", .number(let number)): self.freshness = number
            default: return nil
            }
        }
        guard object.isComplete, let resource, let generation, let display, let account,
            let created
        else { return nil }
        self.resource = resource
        self.generation = generation
        self.display = display
        self.account = account
        self.created = created
    }
}
