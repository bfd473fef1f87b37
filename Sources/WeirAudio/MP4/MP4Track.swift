// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An audio track that can be played.
///
///     trak
///       tkhd            number, whether it is enabled
///       edts / elst     its played parts
///       mdia
///         mdhd          units a second
///         hdlr          'soun'
///         minf / stbl   how it is coded, and where its samples are
struct MP4Track: Sendable {
    /// The track's number.
    var number: UInt32
    /// Whether the track is enabled.
    var isEnabled: Bool
    /// The sample descriptions, which state how the samples are coded.
    ///
    /// Descriptions that cannot be played are `nil`; at least one can be played.
    var entries: [MP4SampleEntry?]
    /// Units a second, from 1.
    var unitsPerSecond: Int64
    /// The played parts, in order; `nil` without an edit list.
    var edits: [MP4Edit]?
    /// The places of the samples; may be empty in fragmented files.
    var table: MP4SampleTable

    /// The most sample descriptions that are kept.
    private static let maximumEntryCount = 64

    /// The number of the first sample description that can be played, from 0.
    var firstEntry: Int { self.entries.firstIndex { $0 != nil } ?? 0 }

    /// Reads a `trak`.
    ///
    /// - Parameter box: the `trak`.
    /// - Returns: the track, or the reason why its audio cannot be played; `nil` for video, text or
    ///   the like.
    /// - Throws: `malformed` if it is an audio track and a part of it is missing, or contradicts
    ///   another.
    static func find(_ box: MP4Box) throws(AudioStreamError) -> Result<MP4Track, AudioStreamError>?
    {
        var header: MP4Box?
        var edits: MP4Box?
        var media: MP4Box?
        var children = box.children
        while let child = try children.next() {
            switch child.type {
            case "tkhd": header = child
            case "edts":
                var inner = child.children
                edits = try inner.next("elst")
            case "mdia": media = child
            default: break
            }
        }
        guard let media else { return nil }
        var mediaHeader: MP4Box?
        var tables: MP4Box?
        var isSound = false
        var parts = media.children
        while let child = try parts.next() {
            switch child.type {
            case "mdhd": mediaHeader = child
            case "hdlr": isSound = child.content.count >= 12 && child.content.matches("soun", at: 8)
            case "minf":
                var inner = child.children
                tables = try? inner.next("stbl")
            default: break
            }
        }
        guard isSound else { return nil }
        guard let header, let mediaHeader, let tables else {
            throw box.fault("The audio track has no header or no tables")
        }
        return try Self.find(header: header, media: mediaHeader, tables: tables, edits: edits)
    }

    private static func find(
        header: MP4Box,
        media: MP4Box,
        tables: MP4Box,
        edits: MP4Box?
    ) throws(AudioStreamError) -> Result<MP4Track, AudioStreamError>? {
        // In version 1, the times of creation and change have 64 bits instead of 32.
        let numberOffset = header.version == 1 ? 20 : 12
        try header.require(numberOffset + 4)
        let scaleOffset = media.version == 1 ? 20 : 12
        try media.require(scaleOffset + 4)
        let unitsPerSecond = Int64(media.content.big(scaleOffset, UInt32.self))
        guard unitsPerSecond > 0 else { throw media.fault("The audio track has no time scale") }
        let entries: [MP4SampleEntry?]
        do throws(MP4Error) {
            entries = try self.entries(in: tables)
        } catch {
            return .failure(AudioStreamError(.unsupported, at: tables.offset, error.reason))
        }
        return .success(
            MP4Track(
                number: header.content.big(numberOffset),
                isEnabled: header.flags & 1 == 1,
                entries: entries,
                unitsPerSecond: unitsPerSecond,
                edits: try edits.map { box throws(AudioStreamError) in try MP4Edit.list(box) },
                table: try MP4SampleTable(
                    tables,
                    frameSize: entries.lazy.compactMap(\.self).first?.frameSize
                )
            )
        )
    }

    /// The sample descriptions, of which at least one can be played.
    private static func entries(in tables: MP4Box) throws(MP4Error) -> [MP4SampleEntry?] {
        var refusal = MP4Error(reason: "The audio track has no sample description")
        var children = tables.children
        guard let box = try? children.next("stsd"), box.content.count >= 8 else { throw refusal }
        var boxes = box.children(behind: 8)
        var entries: [MP4SampleEntry?] = []
        while entries.count < Self.maximumEntryCount, let entry = try? boxes.next() {
            do throws(MP4Error) {
                entries.append(try MP4SampleEntry(entry, isQuickTime: box.version == 0))
            } catch {
                refusal = error
                entries.append(nil)
            }
        }
        guard entries.contains(where: { $0 != nil }) else { throw refusal }
        return entries
    }
}
