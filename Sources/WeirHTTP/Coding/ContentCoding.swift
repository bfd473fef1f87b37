// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A coding of a body that Weir decodes, although its requests ask for no coding (RFC 9110 §8.4.1).
enum ContentCoding: Hashable {
    /// `gzip`, or `x-gzip` with the same meaning.
    case gzip
    /// `deflate`: the format of zlib, or the bare format that some servers send under this name.
    case deflate

    /// The coding with a name in lower case; `nil` if Weir cannot decode it.
    init?(_ name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }

    /// The coding's name in messages.
    var name: String { self == .gzip ? "gzip" : "deflate" }
}

/// The coding of a response's body, by the fields that name codings.
enum BodyCoding: Hashable {
    /// Without a coding.
    case plain
    /// In one coding that Weir can decode; the decoded bytes are the resource.
    case coded(ContentCoding)
    /// In a coding that Weir cannot decode, or in several.
    case foreign

    /// Reads the fields of a response.
    ///
    /// A file that is itself packed by gzip stays packed. Some servers name the format of
    /// `song.tar.gz` in `Content-Encoding` too. The user who asks for that name wants the packed
    /// file, with its length and its ranges. curl and browsers also save the packed file.
    ///
    /// - Parameters:
    ///   - head: the head of the response.
    ///   - fileName: the name of the file, if known.
    init(_ head: AnswerHead, fileName: String?) {
        let codings = head.unwantedCodings
        // An empty body has no coding to remove.
        guard let first = codings.first, head.contentLength != .some(0) else {
            self = .plain
            return
        }
        guard codings.count == 1, head.headers.contentCodings.count == 1,
            let coding = ContentCoding(first)
        else {
            self = .foreign
            return
        }
        self = coding == .gzip && Self.isPacked(head, fileName) ? .plain : .coded(coding)
    }

    /// Endings of names of gzip files, in lower case.
    private static let packedEndings = [".gz", ".tgz", ".svgz", ".vgz"]
    /// Media types of gzip files.
    private static let packedTypes: Set = [
        "application/gzip", "application/x-gzip", "application/x-tgz",
        "application/x-gtar-compressed",
    ]

    private static func isPacked(_ head: AnswerHead, _ fileName: String?) -> Bool {
        if let type = head.mediaType, self.packedTypes.contains(type.essence) { return true }
        let named = head.headers["Content-Disposition"].flatMap { ParameterizedValue($0).fileName }
        let names = [named, fileName].compactMap { $0?.lowercased() }
        return names.contains { name in self.packedEndings.contains { name.hasSuffix($0) } }
    }
}
