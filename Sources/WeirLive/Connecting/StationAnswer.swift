// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station's server answered: the head, and the bytes behind it.
public struct StationAnswer: Sendable {
    /// The fields of the head in their order, names as they were written; values that are not UTF-8 as ISO 8859-1.
    public var fields: [(String, String)]
    /// The `Content-Type`, without its parameters and in lower case; `nil` if there is none.
    public var mediaType: String?
    /// Who answered in the end, for sentences; no query and no credential is in it.
    public var display: String
    /// The bytes, transfer coding removed, titles still in them.
    public var body: any StationBody

    /// An answer.
    public init(
        fields: [(String, String)],
        mediaType: String?,
        display: String,
        body: any StationBody
    ) {
        self.fields = fields
        self.mediaType = mediaType
        self.display = display
        self.body = body
    }
}
