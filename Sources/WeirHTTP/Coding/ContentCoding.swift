// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A coding of a body that Weir takes off, though it asks for none (RFC 9110 §8.4.1).
enum ContentCoding: Hashable {
    /// `gzip`, and `x-gzip`, which means the same.
    case gzip
    /// `deflate`: the format of zlib, or the bare one that some servers mean by it.
    case deflate

    /// The coding of a name in lower case; `nil` for one that is not taken off.
    init?(_ name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }

    /// The coding's name in sentences.
    var name: String { self == .gzip ? "gzip" : "deflate" }
}

/// How the bytes of an answer came, by the fields that name codings.
enum BodyCoding: Hashable {
    /// As they are.
    case plain
    /// In one coding that can be taken off; the bytes below are the resource.
    case coded(ContentCoding)
    /// In a coding that cannot be taken off, or in several.
    case foreign

    /// Reads the fields of an answer.
    ///
    /// A file that is itself packed by gzip is left as it is: some servers name the format of `song.tar.gz` in
    /// `Content-Encoding` too, and whoever asks for that name wants the packed file, with its length and its ranges. curl
    /// and browsers save it packed as well.
    ///
    /// - Parameters:
    ///   - head: the head of the answer.
    ///   - fileName: the name of the file, if that is known.
    init(_ head: AnswerHead, fileName: String?) {
        let codings = head.unwantedCodings
        // A body without a byte has nothing to take off.
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

    /// Endings of names of files that are gzip, in lower case.
    private static let packedEndings = [".gz", ".tgz", ".svgz", ".vgz"]
    /// Types of such files.
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
