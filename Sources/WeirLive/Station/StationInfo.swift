// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// What a station says of itself in the head of its answer.
public struct StationInfo: Hashable, Sendable {
    /// Name, genre, bit rate, where titles stand.
    public var headers: ICYHeaders
    /// The media type, without parameters.
    public var mediaType: String?
    /// Who answered, for sentences.
    public var display: String

    /// What a station says.
    public init(headers: ICYHeaders, mediaType: String?, display: String) {
        self.headers = headers
        self.mediaType = mediaType
        self.display = display
    }
}
