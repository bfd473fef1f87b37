// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a radio station says of the audio behind it: a title, mostly.
public struct ICYMetadata: Hashable, Sendable {
    /// A key and what is said for it.
    public struct Field: Hashable, Sendable {
        /// The key as it is written; in any case the same.
        public var name: String
        /// The text.
        public var value: String
        /// The bytes of the text, for whoever knows the charset better.
        public var rawValue: ByteMemory
    }

    /// Which byte of the audio it stands before: the title is that of the packet this byte lies in, or the next.
    public var audioOffset: Int64
    /// The block, without the zeros behind it.
    public var raw: ByteMemory
    /// What it says, in its order.
    public var fields: [Field]

    /// What is played; empty if nothing is named any more, `nil` if the block says nothing of it.
    public var title: String? { self["StreamTitle"] }

    /// The address that goes with it, often of a picture.
    public var url: String? { self["StreamUrl"] }

    /// The text for a key.
    ///
    /// - Parameter name: the key, in any case.
    /// - Returns: `nil` if the block says nothing of it.
    public subscript(name: String) -> String? {
        self.fields.first { AudioTags.isName($0.name, name) }?.value
    }

    /// Reads a block.
    ///
    ///     StreamTitle='It's; "this"';StreamUrl='http://…';
    ///
    /// Nothing is escaped. A text ends at a `'` behind which, after a `;`, another key and `='` stand; the last text at
    /// the last `'`, or where the block ends. White space around keys does not count. A text without quotes ends at
    /// the next `;`.
    ///
    /// - Parameters:
    ///   - block: the bytes behind the length, up to the first zero.
    ///   - audioOffset: which byte of the audio it stands before.
    ///   - charset: how text is read that is not UTF-8; `nil`: as Windows-1252.
    public init(_ block: ByteMemory, audioOffset: Int64, charset: ICYCharset? = nil) {
        let end = block.withView { $0.firstIndex(of: 0) } ?? block.count
        let raw = block[0..<end]
        self.audioOffset = audioOffset
        self.raw = raw
        self.fields = raw.withView { view in
            ICYFieldScanner.fields(view).map { place in
                Field(
                    name: view[place.name].latin1Text,
                    value: ICYCharset.text(of: view[place.value], override: charset),
                    rawValue: raw[place.value]
                )
            }
        }
    }
}
