// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A frame of an ID3v2 tag: its name and what is in it, after what its flags say was undone.
///
///     2.2: 3 name | u24 size
///     2.3: 4 name | u32 size       | u8 | u8 flags: 0x80 compressed, 0x40 encrypted, 0x20 grouped
///     2.4: 4 name | 4 × 7 bit size | u8 | u8 flags: 0x40 grouped, 8 compressed, 4 encrypted, 2 unsynchronised,
///                                        1 a 4 × 7 bit length is in front
struct ID3v2Frame {
    /// What the flags put between the header and the content.
    struct Flags: Hashable {
        var isGrouped = false
        var isCompressed = false
        var isEncrypted = false
        var isUnsynchronised = false
        var hasLength = false

        /// Reads the second byte of flags.
        ///
        /// - Parameters:
        ///   - bits: the byte.
        ///   - version: 3 or 4.
        init(_ bits: UInt8, version: UInt8) {
            if version == 4 {
                self.isGrouped = bits & 0x40 != 0
                self.isCompressed = bits & 8 != 0
                self.isEncrypted = bits & 4 != 0
                self.isUnsynchronised = bits & 2 != 0
                // Compression implies it (ID3v2.4 structure §4.1.2).
                self.hasLength = bits & 9 != 0
            } else {
                self.isCompressed = bits & 0x80 != 0
                self.isEncrypted = bits & 0x40 != 0
                self.isGrouped = bits & 0x20 != 0
                self.hasLength = self.isCompressed
            }
        }

        init() {}

        /// How many bytes stand in front of the content.
        var prefixCount: Int {
            (self.isGrouped ? 1 : 0) + (self.isEncrypted ? 1 : 0) + (self.hasLength ? 4 : 0)
        }
    }

    /// Its name, of four characters; those of 2.2 are translated, as far as there are new ones.
    let name: String
    /// How long it is, header included, as far as the tag goes.
    let count: Int
    /// What its flags say.
    let flags: Flags
    /// The bytes behind the header, as stored; fewer than the header says where the tag ends before.
    let stored: ByteView
    /// Whether the tag ends before the frame does.
    let isCut: Bool

    /// Reads the header of a frame.
    ///
    /// `nil` where there is none: at the padding, or at the end.
    ///
    /// - Parameters:
    ///   - view: what is left of the tag, from the frame on.
    ///   - version: 2, 3 or 4.
    ///   - isSynchsafe: whether the size of 2.4 is one of seven bits a byte.
    init?(_ view: ByteView, version: UInt8, isSynchsafe: Bool) {
        let nameCount = version == 2 ? 3 : 4
        let headerCount = version == 2 ? 6 : 10
        guard view.count >= headerCount else { return nil }
        var letters = view[0..<nameCount]
        // Programs that turned 2.2 into 2.3 left names of three characters and a zero.
        if letters.count == 4, letters[3] == 0 { letters = letters[0..<3] }
        guard letters.firstIndex(of: 0) != 0 else { return nil }
        let name = letters.latin1Text
        self.name = letters.count == 3 ? ID3v2FrameNames.current(name) : name
        let size =
            switch version {
            case 2: Int(view.big24(3))
            case 4 where isSynchsafe: ID3v2Header.synchsafe(view, 4)
            default: Int(view.big(4, UInt32.self))
            }
        self.flags = version == 2 ? Flags() : Flags(view[9], version: version)
        self.isCut = size > view.count - headerCount
        self.count = headerCount + min(size, view.count - headerCount)
        self.stored = view[headerCount..<self.count]
    }

    /// Lends what is in the frame.
    ///
    /// - Parameters:
    ///   - isUnsynchronised: whether the tag's header says that all frames of 2.4 are.
    ///   - body: reads it.
    /// - Returns: whether the content could be had: not if it is compressed, encrypted or too short.
    func withContent(isUnsynchronised: Bool, _ body: (ByteView) -> Void) -> Bool {
        guard !self.flags.isCompressed, !self.flags.isEncrypted,
            self.stored.count >= self.flags.prefixCount
        else { return false }
        let content = self.stored.from(self.flags.prefixCount)
        if isUnsynchronised || self.flags.isUnsynchronised,
            let bytes = Unsynchronisation.decode(content)
        {
            bytes.withView(body)
        } else {
            body(content)
        }
        return true
    }
}
