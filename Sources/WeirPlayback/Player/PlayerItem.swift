// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirLive
public import WeirSource

/// An item to play: a file from any source, or a radio station.
public struct PlayerItem: Sendable {
    /// The content of an item.
    public enum Content: Sendable {
        /// A file from any source.
        case media(any ByteSource)
        /// A radio station.
        case station(Station)
    }

    /// Its name until its tags say more; `nil`: the name from its source.
    public var name: String?
    /// The content of the item.
    public var content: Content
    /// Where to begin; a start past the end means the end.
    ///
    /// It has no effect for a station.
    public var start: Duration

    /// A file.
    ///
    /// - Parameters:
    ///   - source: its bytes: a `Media` of a library, or any other source.
    ///   - name: its name until its tags say more; `nil`: the name from its source, once that is open.
    ///   - start: where to begin.
    public init(_ source: any ByteSource, name: String? = nil, start: Duration = .zero) {
        self.name = name
        self.content = .media(source)
        self.start = start
    }

    /// A radio station.
    ///
    /// - Parameters:
    ///   - station: the station.
    ///   - name: its name; `nil`: the station's name.
    public init(_ station: Station, name: String? = nil) {
        self.name = name
        self.content = .station(station)
        self.start = .zero
    }
}
