// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads a tag of ID3 version 2.2, 2.3 or 2.4 (id3.org: id3v2-00, id3v2.3.0, id3v2.4.0-structure
/// and -frames).
struct ID3v2Tag {
    private let version: UInt8
    /// Whether every frame of a tag of 2.4 is unsynchronised.
    private var isUnsynchronised = false
    /// Whether the reader is within a chapter.
    private let isNested: Bool
    private var contents: TagContents

    /// Reads a tag; a frame that reaches past the tag's end is left out.
    ///
    /// - Parameters:
    ///   - view: the tag from its header on, as far as it has arrived.
    ///   - range: the range of the tag in the stream.
    /// - Returns: the contents.
    static func read(_ view: ByteView, range: Range<Int64>) -> TagContents {
        let contents = TagContents(kind: .id3v2, range: range)
        guard let header = ID3v2Header(view), header.isKnownVersion, !header.isCompressed else {
            var contents = contents
            contents.note(.badTag)
            return contents
        }
        var tag = ID3v2Tag(header.version, contents, isNested: false)
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

    private init(_ version: UInt8, _ contents: TagContents, isNested: Bool) {
        self.version = version
        self.contents = contents
        self.isNested = isNested
    }

    /// Follows the frames of a tag from its header on.
    ///
    /// - Parameter view: the tag, as far as it has arrived.
    /// - Returns: the extent of the frames; at most the header, if the frames cannot be followed in
    ///   place.
    static func extent(in view: ByteView) -> TagExtent {
        guard let header = ID3v2Header(view), header.isKnownVersion, !header.isCompressed,
            !header.hasExtendedHeader, header.version == 4 || !header.isUnsynchronised
        else { return TagExtent(count: min(10, view.count), ending: .other) }
        let isSynchsafe = header.version == 4 && ID3v2Frame.areSynchsafe(view.from(10))
        var offset = 10
        while let frame = ID3v2Frame(
            view.from(offset),
            version: header.version,
            isSynchsafe: isSynchsafe
        ), frame.name.utf8.allSatisfy(ID3v2Frame.isPart) {
            if frame.isCut { return TagExtent(behind: offset, isCut: true, in: view) }
            offset += frame.count
        }
        return TagExtent(behind: offset, isCut: false, in: view)
    }

    /// Reads everything after the header.
    private mutating func readBody(_ view: ByteView, _ header: ID3v2Header) {
        guard header.hasExtendedHeader, view.count >= 4 else { return self.readFrames(view) }
        // Some programs set the flag without writing an extended header: then there is a frame's
        // name instead of the size.
        if ID3v2Frame.isName(view, at: 0) { return self.readFrames(view) }
        // In 2.3, the size does not count its own four bytes. In 2.4, it counts them, and has seven
        // bits a byte.
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
            // The contents are full: do not read millions of small frames.
            guard self.contents.left > 0 else { return self.contents.note(.tooLarge) }
            // The bytes after the header may belong to other frames, not to this frame's text.
            guard !frame.isCut else { return self.contents.note(.badTag) }
            guard !frame.stored.isEmpty, frame.name.utf8.allSatisfy(ID3v2Frame.isPart) else {
                continue
            }
            self.read(frame)
        }
    }

    /// Reads a frame; if the content cannot be read, only the name becomes a field.
    private mutating func read(_ frame: ID3v2Frame) {
        var contents = self.contents
        // Keep one owner of the contents: with two, every frame would copy the arrays.
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
    ///     name, NUL | u32 start ms | u32 end ms | u32 start byte | u32 end byte |
    ///     frames; TIT2 is the title
    private func readChapter(_ view: ByteView, into contents: inout TagContents) {
        guard let nameEnd = view.firstIndex(of: 0), view.count - nameEnd - 1 >= 16 else {
            return contents.note(.badTag)
        }
        let start: UInt32 = view.big(nameEnd + 1)
        let end: UInt32 = view.big(nameEnd + 5)
        let nested = TagContents(kind: .id3v2, range: contents.tags.range)
        var frames = ID3v2Tag(self.version, nested, isNested: true)
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
    /// The bytes without unsynchronisation: each `FF 00` becomes `FF` (ID3v2.4 structure §6.1).
    ///
    /// The inserted zeros keep a tag from looking like a frame of MPEG audio. The result is `nil`
    /// if `E0` to `FF`, or the end, follows an `FF`: unsynchronisation never leaves such bytes. The
    /// flag is then wrong: some programs set it and write plain bytes. The caller reads these
    /// unchanged.
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
