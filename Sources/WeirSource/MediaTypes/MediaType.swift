// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A media type without parameters: the type of a resource, as HTTP and players name it.
///
/// The ``essence`` is in lower case: `audio/mpeg`. Two types are equal when their essences are
/// equal; ``canonical`` maps the different names of one format to one name.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Type and subtype in lower case, with a slash between: `audio/mpeg`.
    public let essence: String

    /// Makes a type from an essence that this module has written; checks nothing.
    init(essence: String) {
        self.essence = essence
    }

    /// Reads the value of a `Content-Type` field (RFC 9110 §8.3.1) and drops its parameters.
    ///
    /// - Returns: `nil` unless the value starts with a type, a slash and a subtype, both tokens
    ///   (RFC 9110 §5.6.2) of at most 127 characters (RFC 6838 §4.2) and no wildcards. Only the end
    ///   or a semicolon may follow. The parameters are not checked.
    public init?(headerValue: String) {
        let isEssence = headerValue.utf8.withContiguousStorageIfAvailable { Self.isEssence($0) }
        if isEssence == true {
            self.essence = headerValue
            return
        }
        var type: [UInt8] = []
        var subtype: [UInt8] = []
        var place = Place.before
        scan: for byte in headerValue.utf8 {
            let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            switch place {
            case .before where isBlank:
                continue
            case .before, .inType:
                if byte == UInt8(ascii: "/"), !type.isEmpty {
                    place = .inSubtype
                } else {
                    guard let letter = Self.tokenCharacter(byte), type.count < 127 else {
                        return nil
                    }
                    type.append(letter)
                    place = .inType
                }
            case .inSubtype:
                if byte == UInt8(ascii: ";") { break scan }
                if isBlank {
                    place = .after
                } else {
                    guard let letter = Self.tokenCharacter(byte), subtype.count < 127 else {
                        return nil
                    }
                    subtype.append(letter)
                }
            case .after:
                if byte == UInt8(ascii: ";") { break scan }
                guard isBlank else { return nil }
            }
        }
        guard !type.isEmpty, !subtype.isEmpty else { return nil }
        let wildcard = [UInt8(ascii: "*")]
        guard type != wildcard, subtype != wildcard else { return nil }
        self.essence = String(decoding: type + [UInt8(ascii: "/")] + subtype, as: UTF8.self)
    }

    /// Whether a value consists of two tokens without capital letters, and a slash between; false
    /// also for some that do.
    private static func isEssence(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let slash = value.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let isShort = (1...127).contains(slash) && (1...127).contains(value.count - slash - 1)
        let wildcard = UInt8(ascii: "*")
        return isShort && value[0] != wildcard && value[slash + 1] != wildcard
            && value.indices.allSatisfy { place in
                place == slash || Self.tokenCharacter(value[place]) == value[place]
            }
    }

    /// The part before the slash: `audio`.
    public var topLevel: Substring {
        self.essence.prefix { $0 != "/" }
    }

    /// The essence.
    public var description: String { self.essence }

    private enum Place {
        case before
        case inType
        case inSubtype
        case after
    }

    /// The character of a token in lower case; `nil` if a token cannot contain the byte.
    private static func tokenCharacter(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            byte | 0x20
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            byte
        default:
            nil
        }
    }
}

extension MediaType {
    /// Whether the type says nothing about the bytes, so that content and name must decide.
    ///
    /// Servers send these types for files that they do not know, and to make a browser save a file.
    public var isUninformative: Bool {
        Self.uninformative.contains(self.essence)
    }

    /// Whether the bytes are sound, video, or a playlist of them.
    public var isMedia: Bool {
        switch self.topLevel {
        case "audio", "video": true
        default: Self.mediaApplications.contains(self.canonical)
        }
    }

    /// Whether the bytes are a page for a browser: often an error or a log-in page in place of
    /// media.
    public var isHTML: Bool {
        self.canonical == .html
    }

    private static let uninformative: Set<String> = [
        "application/octet-stream", "binary/octet-stream", "application/binary",
        "application/x-binary", "application/octetstream", "application/x-octet-stream",
        "application/force-download", "application/x-force-download", "application/x-download",
        "application/download", "application/save", "application/unknown",
        "application/x-unknown", "application/x-unknown-content-type", "content/unknown",
        "unknown/unknown", "application/x-www-form-urlencoded", "multipart/form-data",
        "text/plain", "httpd/unix-directory",
    ]

    private static let mediaApplications: Set<MediaType> = [
        .ogg, .realMedia, .hlsPlaylist, .dashManifest, .xspfPlaylist,
    ]

    /// The type of a resource, from all known facts.
    ///
    /// Content comes first; then the origin's header, unless it ``isUninformative``; then the name.
    /// If the content shows a container but not its contents, the header or the name may choose
    /// among the types that the container allows. For example, bytes that look like `video/mp4` are
    /// `audio/mp4` if the header or the extension `m4a` says so.
    ///
    /// - Parameters:
    ///   - content: the result of ``sniffed(from:)-(UnsafeRawBufferPointer)``.
    ///   - declared: the origin's `Content-Type`.
    ///   - fileExtension: the extension of the resource's name, without the dot.
    /// - Returns: a ``canonical`` type, or `nil` if nothing is known.
    public static func settled(
        content: MediaType?,
        declared: MediaType?,
        fileExtension: String?
    ) -> MediaType? {
        Self.settled(
            content: content.map(SniffedContent.init(undecided:)),
            declared: declared,
            fileExtension: fileExtension
        )
    }

    static func settled(
        content: SniffedContent?,
        declared: MediaType?,
        fileExtension: String?
    ) -> MediaType? {
        let header = declared.flatMap { $0.isUninformative ? nil : $0.canonical }
        let named = fileExtension.flatMap { MediaType(fileExtension: $0) }
        guard let content else { return header ?? named }
        for candidate in [header, named].compactMap({ $0 }) where content.allows(candidate) {
            return candidate
        }
        return content.type
    }

    /// The type that the first bytes of a resource show.
    ///
    /// 512 bytes are enough for every format that can be recognised; more bytes help only if an ID3
    /// tag or an Ogg header comes first. The function only reads the bytes, never past their end,
    /// in time proportional to their number.
    ///
    /// It also recognises common replies in place of media: HTML, XML, JSON, images, archives.
    ///
    /// - Parameter bytes: the available start of the resource.
    /// - Returns: `nil` if nothing is recognised, or if there are too few bytes to be sure.
    public static func sniffed(from bytes: UnsafeRawBufferPointer) -> MediaType? {
        SniffedContent(of: FirstBytes(bytes))?.type
    }

    /// The type that the first bytes of a resource show.
    public static func sniffed(from bytes: [UInt8]) -> MediaType? {
        bytes.withUnsafeBytes { Self.sniffed(from: $0) }
    }
}
