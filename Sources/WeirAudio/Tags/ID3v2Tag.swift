// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The ten bytes in front of an ID3v2 tag (ID3v2.4 structure §3.1).
///
///     "ID3" | u8 version | u8 revision | u8 flags | 4 × 7 bit size, of what is between header and footer
///     flags: 0x80 unsynchronised | 0x40 2.2: compressed, else: extended header | 0x20 experimental | 0x10 footer
struct ID3v2Header: Hashable, Sendable {
    /// The version behind the 2 and its point: 2, 3 or 4, or one that is not known here.
    let version: UInt8
    /// The flags.
    let flags: UInt8
    /// How many bytes follow, up to the footer or the end.
    let size: Int

    /// Whether the first ten bytes, or those that are there, can be a header.
    static func isPossible(_ view: ByteView) -> Bool {
        for index in 3..<10 where index < view.count {
            // There never was a version above 4; up to 15 are taken for tags of a later version. The size has no
            // high bits.
            if index < 5 ? view[index] > 15 : index > 5 && view[index] >= 0x80 { return false }
        }
        return true
    }

    /// Reads a header.
    ///
    /// Fails if there are fewer than ten bytes, or they are no header.
    ///
    /// - Parameter view: the stream from `ID3` on.
    init?(_ view: ByteView) {
        guard view.count >= 10, view.matches("ID3"), Self.isPossible(view) else { return nil }
        self.version = view[3]
        self.flags = view[5]
        self.size = Self.synchsafe(view, 6)
    }

    /// Whether the tag can be read.
    var isKnownVersion: Bool { self.version >= 2 && self.version <= 4 }

    /// Whether the tag, or each of its frames, went through unsynchronisation.
    var isUnsynchronised: Bool { self.flags & 0x80 != 0 }

    /// Whether an extended header follows; only in 2.3 and 2.4.
    var hasExtendedHeader: Bool { self.version > 2 && self.flags & 0x40 != 0 }

    /// Whether the tag is compressed as a whole, by a method that 2.2 never named.
    var isCompressed: Bool { self.version == 2 && self.flags & 0x40 != 0 }

    /// How long the tag is, with its header, and the footer if it has one.
    var tagCount: Int64 {
        10 + Int64(self.size) + (self.version == 4 && self.flags & 0x10 != 0 ? 10 : 0)
    }

    /// A number of four times seven bits.
    ///
    /// - Parameters:
    ///   - view: has four bytes from there on.
    ///   - offset: of the most significant.
    /// - Returns: 0 to 2²⁸ - 1.
    static func synchsafe(_ view: ByteView, _ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 7 | Int(view[offset + $1] & 0x7F) }
    }
}

/// Reads a tag of ID3 version 2.2, 2.3 or 2.4 (id3.org: id3v2-00, id3v2.3.0, id3v2.4.0-structure and -frames).
struct ID3v2Tag {
    private let version: UInt8
    /// Whether frames that reach over the end are read as far as they go, and not left out.
    private let isWhole: Bool
    /// Whether every frame of a tag of 2.4 is unsynchronised.
    private var isUnsynchronised = false
    /// Whether what is read lies within a chapter.
    private let isNested: Bool
    private var contents: TagContents

    /// Reads a tag.
    ///
    /// - Parameters:
    ///   - view: the tag from its header on.
    ///   - isWhole: whether all of it is there; if not, a frame that is cut is left out.
    ///   - range: where it is in the stream.
    /// - Returns: what it says.
    static func read(_ view: ByteView, isWhole: Bool, range: Range<Int64>) -> TagContents {
        let contents = TagContents(kind: .id3v2, range: range)
        guard let header = ID3v2Header(view), header.isKnownVersion, !header.isCompressed else {
            var contents = contents
            contents.note(.badTag)
            return contents
        }
        var tag = ID3v2Tag(header.version, contents, isWhole: isWhole, isNested: false)
        let body = view[10..<min(view.count, 10 + header.size)]
        if header.version < 4, header.isUnsynchronised, let bytes = body.withoutUnsynchronisation {
            bytes.withView { tag.readBody($0, header) }
        } else {
            tag.isUnsynchronised = header.version == 4 && header.isUnsynchronised
            tag.readBody(body, header)
        }
        tag.contents.tags.orderChapters()
        return tag.contents
    }

    private init(_ version: UInt8, _ contents: TagContents, isWhole: Bool, isNested: Bool) {
        self.version = version
        self.contents = contents
        self.isWhole = isWhole
        self.isNested = isNested
    }

    /// Reads everything behind the header.
    private mutating func readBody(_ view: ByteView, _ header: ID3v2Header) {
        guard header.hasExtendedHeader, view.count >= 4 else { return self.readFrames(view) }
        // Some programs set the flag and write no such header: then a frame's name is here, which is no size.
        if ID3v2Frame.isName(view, at: 0) { return self.readFrames(view) }
        // 2.3 does not count the four bytes of the size, 2.4 does, and has it in seven bits a byte.
        let count =
            self.version == 4
            ? max(4, ID3v2Header.synchsafe(view, 0)) : 4 + Int(view.big(0, UInt32.self))
        guard count <= view.count else { return self.contents.note(.badTag) }
        self.readFrames(view.from(count))
    }

    /// Reads frames up to the padding or the end.
    private mutating func readFrames(_ view: ByteView) {
        let isSynchsafe = self.version == 4 && ID3v2Frame.areSynchsafe(view)
        var rest = view
        while let frame = ID3v2Frame(rest, version: self.version, isSynchsafe: isSynchsafe) {
            rest = rest.from(frame.count)
            // Nothing more is kept: millions of small frames need not be read.
            guard self.contents.left > 0 else { return self.contents.note(.tooLarge) }
            if frame.isCut {
                self.contents.note(.badTag)
                guard self.isWhole else { return }
            }
            guard !frame.stored.isEmpty, frame.name.utf8.allSatisfy(ID3v2Frame.isPart) else {
                continue
            }
            self.read(frame)
        }
    }

    /// Reads a frame; one that cannot be read is told by its name alone.
    private mutating func read(_ frame: ID3v2Frame) {
        var contents = self.contents
        // Two owners would copy the arrays with each frame.
        self.contents = TagContents(kind: .id3v2, range: contents.tags.range)
        let isReadable = frame.withContent(isUnsynchronised: self.isUnsynchronised) { content in
            switch frame.name {
            case "CHAP" where !self.isNested: self.readChapter(content, into: &contents)
            case "CTOC": break
            default:
                var reader = ID3v2FrameReader(
                    name: frame.name,
                    isPadded: self.version < 4,
                    hasShortImageFormat: self.version == 2,
                    contents: contents
                )
                contents = TagContents(kind: .id3v2, range: contents.tags.range)
                reader.read(content)
                contents = reader.contents
            }
        }
        if !isReadable {
            if !frame.isEncrypted { contents.note(.badTag) }
            contents.append(frame.name, [])
        }
        self.contents = contents
    }

    /// Reads a chapter (id3v2-chapters-1.0 §3.1).
    ///
    ///     name, NUL | u32 start ms | u32 end ms | u32 start byte | u32 end byte | frames, of which TIT2 is its title
    private func readChapter(_ view: ByteView, into contents: inout TagContents) {
        guard let nameEnd = view.firstIndex(of: 0), view.count - nameEnd - 1 >= 16 else {
            return contents.note(.badTag)
        }
        let start: UInt32 = view.big(nameEnd + 1)
        let end: UInt32 = view.big(nameEnd + 5)
        let nested = TagContents(kind: .id3v2, range: contents.tags.range)
        var frames = ID3v2Tag(self.version, nested, isWhole: self.isWhole, isNested: true)
        frames.readFrames(view.from(nameEnd + 17))
        contents.append(
            AudioChapter(
                startMilliseconds: Int64(start),
                endMilliseconds: end == .max ? nil : Int64(end),
                title: frames.contents.tags.first("TIT2") ?? ""
            )
        )
    }
}

extension ByteView {
    /// The bytes without the zeros that keep a tag from looking like a frame of MPEG audio: each `FF 00` becomes `FF`
    /// (ID3v2.4 structure §6.1).
    ///
    /// `nil` if an `FF` is followed by what unsynchronisation never leaves there, `E0` to `FF` or nothing:
    /// then the flag is wrong: some programs set it and write plain bytes, which are to be taken as they are.
    var withoutUnsynchronisation: ByteMemory? {
        let storage = ByteStorage(capacity: self.count)
        var written = 0
        var index = 0
        while index < self.count {
            let byte = self[index]
            storage.base[written] = byte
            written += 1
            index += 1
            guard byte == 0xFF else { continue }
            guard index < self.count, self[index] < 0xE0 else { return nil }
            if self[index] == 0 { index += 1 }
        }
        return ByteMemory(storage, count: written)
    }
}
