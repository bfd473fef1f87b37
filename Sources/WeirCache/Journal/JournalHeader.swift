// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// What a journal says of its generation once, at its start.
struct JournalHeader: Hashable, Sendable, Codable {
    /// The resource's identifier, as in the file's name.
    var resource: String
    /// The generation, as in the file's name.
    var generation: String
    /// What a list shows.
    var display: String
    /// Whose bytes these are.
    var account: String
    /// When the generation was made, in milliseconds since 1970.
    var created: Int64
    /// Bytes in the resource, where that was known at the start.
    var length: Int64?
    /// The media type's essence.
    var mediaType: String?
    /// The file name that the origin gave.
    var name: String?
    /// Whether the origin answers range requests.
    var acceptsRanges: Bool?
    /// A strong entity tag.
    var entityTag: String?
    /// A strong `Last-Modified` field; belongs to ``lastModifiedLength``.
    var lastModified: String?
    /// The length that goes with ``lastModified``.
    var lastModifiedLength: Int64?
    /// A service's revision.
    var revision: String?

    /// How many seconds after an answer the bytes may be used without asking the origin; `nil` where it did not say.
    var freshness: Int64?

    /// Writes down a generation.
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

    /// Prologue and header as they stand in the file.
    ///
    /// - Throws: whatever the JSON encoder throws, which for this type is nothing.
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
        self = try JSONDecoder().decode(JournalHeader.self, from: Data(json))
    }
}

/// The journal's bytes.
///
/// Numbers are little-endian. A journal is a prologue, a header and records, with nothing between:
///
/// ```
/// prologue, the same in every format version to come
///      0   8  magic: "WEIRJRNL"
///      8   4  format version
///     12   4  CRC-32C of bytes 0 ..< 12
/// header
///     16   4  n, at most 1 MiB
///     20   n  JournalHeader as JSON
///   20+n   4  CRC-32C of bytes 0 ..< 20+n
/// record, any number of them
///      0   1  kind
///      1   4  m, at most 1 MiB
///      5   m  payload
///    5+m   4  CRC-32C of bytes 0 ..< 5+m, going on from the checksum that stands before the record
/// ```
///
/// | kind | payload |
/// |---|---|
/// | 1: a run is held | lower and upper bound, 8 bytes each; then for each 64 KiB block that the run touches the CRC-32C of its bytes there, 4 bytes |
/// | 2: the length is known now | length, 8 bytes |
/// | 3: bytes are lost | lower and upper bound, 8 bytes each |
/// | 4: the user wants it kept | 1 byte: 1, or 0 for no longer |
///
/// Each record's checksum goes on from its predecessor's, and the first from the header's, which
/// names resource and generation: a record of another journal, or one left over from before a cut,
/// proves nothing here. The journal ends at the first record that is not whole, not sound or not
/// possible; what follows is ignored and cut off before the next record is written.
///
/// Where a run overlaps what was held, its checksums count, and a part of a block that had another and
/// sticks out is held no longer: a run is always written with the whole of the pieces at its ends. What is
/// lost takes with it the parts of its blocks that it touches.
///
/// A reader skips kinds that it does not know, so that a kind which only adds needs no new version.
enum JournalFormat {
    /// The first eight bytes.
    static let magic = Array("WEIRJRNL".utf8)
    /// The version that this code writes, and the newest that it reads.
    static let version: UInt32 = 1
    /// Bytes of the prologue.
    static let prologueSize = 16
    /// Most bytes of a header or a payload.
    static let maximumPayload = 1 << 20
    /// Most bytes of a journal that are read; a journal that long holds over two million runs.
    static let maximumSize: Int64 = 64 << 20

    /// Appends an integer in little-endian order.
    static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Reads an integer in little-endian order; `nil` past the end.
    static func integer<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self,
        in bytes: ArraySlice<UInt8>,
        at offset: Int
    ) -> Value? {
        let size = MemoryLayout<Value>.size
        guard offset >= bytes.startIndex, offset <= bytes.endIndex - size else { return nil }
        var value: Value = 0
        for index in (offset..<(offset + size)).reversed() {
            value = value << 8 | Value(truncatingIfNeeded: bytes[index])
        }
        return value
    }
}
