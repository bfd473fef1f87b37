// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of a stream turn out to be.
public enum Sniffing: Hashable, Sendable {
    /// A text that is no audio, as servers send it in place of what was asked for.
    public enum Page: String, Hashable, Sendable, CustomStringConvertible {
        /// HTML.
        case html = "an HTML page"
        /// XML that is no playlist.
        case xml = "an XML document"
        /// JSON.
        case json = "a JSON document"
        /// Any other text.
        case text = "plain text"

        /// What it is, with an article.
        public var description: String { self.rawValue }
    }

    /// A stream, and how many frames in a row agreed about it; 0 where only the hint says so, 1 where the first
    /// bytes are of no other format.
    case container(AudioContainer, agreeingFrames: Int)
    /// A page.
    case page(Page)
    /// A playlist.
    case playlist(Playlist.Kind)
    /// Nothing that is known.
    case unknown
    /// More bytes are needed; never at the end of the stream.
    case needsMore
}
