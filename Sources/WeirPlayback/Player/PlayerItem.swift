// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirLive
public import WeirSource

/// Something to be played.
public struct PlayerItem: Sendable {
    /// Where its bytes come from.
    public enum Content: Sendable {
        /// A file, wherever it lies.
        case media(any ByteSource)
        /// A radio station.
        case station(Station)
    }

    /// How it is called until its tags say more.
    public var name: String
    /// Where its bytes come from.
    public var content: Content
    /// Where to begin; past the end: at the end.
    ///
    /// Nothing for a station.
    public var start: Duration

    /// An item.
    ///
    /// - Parameters:
    ///   - name: how it is called until its tags say more.
    ///   - content: where its bytes come from.
    ///   - start: where to begin.
    public init(name: String, content: Content, start: Duration = .zero) {
        self.name = name
        self.content = content
        self.start = start
    }
}
