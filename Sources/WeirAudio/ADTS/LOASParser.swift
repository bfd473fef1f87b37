// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Refuses AAC in LOAS/LATM framing (ISO 14496-3 §1.7), which is recognised and not parsed.
struct LOASParser: FormatParser {
    /// A parser that parses nothing.
    ///
    /// - Parameters:
    ///   - limits: not used.
    ///   - length: not used.
    init(limits: AudioStreamLimits, length: Int64?) {}

    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        throw AudioStreamError(
            .unsupported,
            at: window.offset,
            "This is AAC in LOAS/LATM framing, which cannot be played; AAC in ADTS or MP4 can"
        )
    }

    mutating func discontinued(start: SampleCount?) {}

    func seekMap(length: Int64?) -> SeekMap? { nil }
}
