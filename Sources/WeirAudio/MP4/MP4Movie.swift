// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The index of a file: the `moov` box (ISO 14496-12 §8.2).
///
///     moov
///       mvhd             units a second of the edit lists, duration
///       trak …           see MP4Track
///       mvex             there are fragments
///         mehd           how long they last
///         trex …         the defaults of the samples in fragments
///       udta / meta      tags, chapters
struct MP4Movie: Sendable {
    /// The played track.
    var track: MP4Track
    /// Units a second of durations in edit lists, from 1.
    var unitsPerSecond: Int64
    /// The duration in these units; `nil` if the headers do not state it.
    var duration: Int64?
    /// Whether fragments follow.
    var isFragmented: Bool
    /// The defaults for the samples of fragments.
    var defaults: MP4SampleDefaults
    /// The tags; `nil` if there are none.
    var tags: AudioTags?
    /// The trouble with the skipped parts.
    var troubles: [AudioStreamFailure]

    /// Reads a `moov`.
    ///
    /// - Parameters:
    ///   - box: the `moov`.
    ///   - limits: how large tags may be.
    /// - Throws: `unsupported` if there is no audio track that can be played; `malformed` if its
    ///   index is damaged.
    init(_ box: MP4Box, limits: AudioStreamLimits) throws(AudioStreamError) {
        var unitsPerSecond: Int64 = 0
        var duration: Int64?
        var chosen: MP4Track?
        var refusal: AudioStreamError?
        var extends: MP4Box?
        var userBoxes: [MP4Box] = []
        var children = box.children
        while let child = try children.next() {
            switch child.type {
            case "mvhd": (unitsPerSecond, duration) = try Self.header(child)
            case "trak":
                // Tracks after an enabled track are ignored, even if they are damaged.
                if let chosen, chosen.isEnabled { break }
                switch try MP4Track.find(child) {
                case nil: break
                case .failure(let error): refusal = refusal ?? error
                case .success(let track): if track.isEnabled || chosen == nil { chosen = track }
                }
            case "mvex": extends = child
            case "udta", "meta": if userBoxes.count < 4 { userBoxes.append(child) }
            default: break
            }
        }
        guard let chosen else {
            throw refusal
                ?? AudioStreamError(.unsupported, at: box.offset, "The file has no audio track")
        }
        self.track = chosen
        self.unitsPerSecond = unitsPerSecond > 0 ? unitsPerSecond : chosen.unitsPerSecond
        self.duration = duration
        self.isFragmented = extends != nil
        self.defaults = MP4SampleDefaults()
        self.troubles = []
        self.tags = nil
        if let extends { try self.readExtends(extends) }
        self.readTags(userBoxes, limit: limits.tag)
    }

    private static func header(_ box: MP4Box) throws(AudioStreamError) -> (Int64, Int64?) {
        let isLong = box.version == 1
        try box.require(isLong ? 32 : 20)
        let units = Int64(box.content.big(isLong ? 20 : 12, UInt32.self))
        let duration =
            isLong ? box.content.big(24, UInt64.self) : UInt64(box.content.big(16, UInt32.self))
        let isKnown =
            duration > 0 && duration < (isLong ? UInt64(Int64.max / 4) : UInt64(UInt32.max))
        return (units, isKnown ? Int64(duration) : nil)
    }

    private mutating func readExtends(_ box: MP4Box) throws(AudioStreamError) {
        var children = box.children
        while let child = try children.next() {
            switch child.type {
            case "mehd":
                let isLong = child.version == 1
                try child.require(isLong ? 12 : 8)
                let duration =
                    isLong
                    ? child.content.big(4, UInt64.self) : UInt64(child.content.big(4, UInt32.self))
                if duration > 0, duration < UInt64(Int64.max / 4) {
                    self.duration = Int64(duration)
                }
            case "trex":
                try child.require(24)
                guard child.content.big(4, UInt32.self) == self.track.number else { break }
                self.defaults = MP4SampleDefaults(
                    description: child.content.big(8),
                    duration: child.content.big(12),
                    size: child.content.big(16),
                    flags: child.content.big(20)
                )
            default: break
            }
        }
    }

    private mutating func readTags(_ boxes: [MP4Box], limit: Int) {
        for box in boxes {
            let range = box.offset - 8..<box.offset + Int64(box.content.count)
            guard box.content.count <= limit else {
                self.troubles.append(AudioStreamFailure(.tooLarge, range))
                continue
            }
            var reader = MP4TagReader(tags: self.tags ?? AudioTags(kind: .mp4, range: range))
            reader.read(box)
            if reader.hasFault { self.troubles.append(AudioStreamFailure(.badTag, range)) }
            if !reader.isEmpty { self.tags = reader.tags }
        }
    }
}
