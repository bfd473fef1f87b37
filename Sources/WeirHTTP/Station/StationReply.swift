// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station's server answered: the fields, and the stream behind them.
public struct StationReply: Sendable {
    /// The fields of the head, in their order.
    public var headers: HTTPHeaderList
    /// The `Content-Type` without its parameters, in lower case; `nil` if there is none.
    public var mediaType: String?
    /// Who answered in the end, for sentences; no query and no credential is in it.
    public var display: String
    /// The bytes, with titles still in them where `icy-metaint` says so.
    public var stream: StationStream

    init(_ headers: HTTPHeaderList, display: String, stream: StationStream) {
        self.headers = headers
        let type = headers["Content-Type"].map { ParameterizedValue($0).value.lowercased() }
        self.mediaType = type.flatMap { $0.isEmpty ? nil : $0 }
        self.display = display
        self.stream = stream
    }
}
