// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirLive
public import WeirSource

/// Something to be played: a file, wherever it lies, or a radio station.
public struct PlayerItem: Sendable {
    /// Where its bytes come from.
    public enum Content: Sendable {
        /// A file, wherever it lies.
        case media(any ByteSource)
        /// A radio station.
        case station(Station)
    }

    /// How it is called until its tags say more; `nil`: as its source says.
    public var name: String?
    /// Where its bytes come from.
    public var content: Content
    /// Where to begin; past the end: at the end.
    ///
    /// Nothing for a station.
    public var start: Duration

    /// A file.
    ///
    /// - Parameters:
    ///   - source: its bytes: a `Media` of a library, or any other source.
    ///   - name: how it is called until its tags say more; `nil`: as its source says once it is opened.
    ///   - start: where to begin.
    public init(_ source: any ByteSource, name: String? = nil, start: Duration = .zero) {
        self.name = name
        self.content = .media(source)
        self.start = start
    }

    /// A radio station.
    ///
    /// - Parameters:
    ///   - station: what is listened to.
    ///   - name: how it is called; `nil`: as the station is.
    public init(_ station: Station, name: String? = nil) {
        self.name = name
        self.content = .station(station)
        self.start = .zero
    }
}
