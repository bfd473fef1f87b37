// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// Decides what a URL is to a player: a file, a station, a list, a folder; a pure machine.
///
/// The library asks for a file in one way, a player for a station in another, with titles and without an end. Each
/// question is a connection, and the first should be the one that is kept: the name decides which question comes first.
///
/// A missing length makes no station: servers that transcode do not know how long the file will be that they send. A
/// station says that it is one, in fields of its own, or a playlist or the user says so. What else comes without a length
/// is a file, whose end is where its bytes end.
struct URLProbe {
    /// The head of the answer to a station's question.
    struct Answer: Hashable, Sendable {
        /// Its type, without parameters.
        var mediaType: MediaType?
        /// How long it says that it is.
        var length: Int64?
        /// Whether it has fields that stations send.
        var isStation = false

        /// Whether it is the beginning of a file, neither a station nor a text, which may be a list.
        var isFile: Bool {
            PathKind.kind(of: self.mediaType) != .playlist && self.mediaType?.topLevel != "text"
                && (self.length != nil || !self.isStation)
        }
    }

    enum Step: Hashable, Sendable {
        /// Ask the library what it is, then tell ``described(_:)`` or ``failed(_:)``.
        case describe
        /// Ask it as a station, then tell ``answered(_:)`` or ``failed(_:)``.
        case connect
        case file
        /// It is a station; the answer that came is the beginning of it.
        case station
        /// It is a list: in the answer that came, or to be read through the library.
        case playlist(isAnswered: Bool)
        /// It is a short text: a list, if it can be read as one, else a file.
        case text
        /// It may be a folder; if it is none, the last failure counts.
        case folder
        /// It cannot be played; the error that came last says why.
        case fail
    }

    private let kind: PathKind
    private let isFile: Bool
    private var hasDescribed = false
    private var hasConnected = false
    /// Whether the library was told what it is, and that it has no length.
    private var isDescribed = false

    /// Begins with the facts that are known before anything is asked.
    ///
    /// - Parameters:
    ///   - kind: what the path promises.
    ///   - isFile: whether nothing but a file can be meant: some of it is held, it is decrypted, or nothing may be asked.
    init(_ kind: PathKind, isFile: Bool = false) {
        self.kind = kind
        self.isFile = isFile
    }

    mutating func begin() -> Step {
        if self.kind == .playlist { return .playlist(isAnswered: false) }
        if self.isFile { return .file }
        return self.kind == .audio ? self.describe() : self.connect()
    }

    mutating func described(_ description: ResourceDescription) -> Step {
        let kind = PathKind.kind(of: description.mediaType)
        if kind == .playlist { return .playlist(isAnswered: false) }
        // A resource with an end is a file, and one that can be read from anywhere has an end.
        guard description.length == nil, description.acceptsRanges != true else { return .file }
        guard Self.canBeStation(description.mediaType), !self.hasConnected else { return .file }
        self.isDescribed = true
        return self.connect()
    }

    mutating func answered(_ answer: Answer) -> Step {
        if PathKind.kind(of: answer.mediaType) == .playlist { return .playlist(isAnswered: true) }
        if answer.isStation, answer.length == nil { return .station }
        let isText = answer.mediaType?.topLevel == "text"
        let isPage = isText || answer.mediaType?.isHTML == true
        if isPage, self.kind == .folder { return .folder }
        // A page may stand for a folder, and media may be typed as a page: the library looks at the bytes.
        if answer.mediaType?.isHTML == true, self.kind == .unknown {
            return self.hasDescribed ? .folder : self.describe()
        }
        let isShort = (1...Int64(Playlist.maximumByteCount)).contains(answer.length ?? 0)
        return isText && isShort && answer.mediaType?.isHTML == false ? .text : .file
    }

    /// The last question was not answered as it should.
    ///
    /// - Parameters:
    ///   - code: of the error.
    ///   - isEndless: whether redirects lead to no answer, which another question would follow as well.
    /// - Returns: what to do next.
    mutating func failed(_ code: SourceError.Code, isEndless: Bool = false) -> Step {
        // The library has its answer, and what is no answer to a station's question is no station's.
        if self.isDescribed { return .file }
        if isEndless { return .fail }
        switch code {
        case .badAnswer:
            // Half of HTTP, as stations speak it, is no answer to the library; and the other way round.
            if !self.hasConnected { return self.connect() }
            return self.hasDescribed ? .fail : self.describe()
        case .notFound, .forbidden, .notMedia:
            // A page may stand for a folder whose name does not say so.
            let isPage = self.kind == .unknown && code == .notMedia
            return self.kind == .folder || isPage ? .folder : .fail
        case .unreachable, .timedOut:
            // What is held of a folder plays without its origin.
            return self.kind == .folder || self.kind == .unknown ? .folder : .fail
        default: return .fail
        }
    }

    private mutating func describe() -> Step {
        self.hasDescribed = true
        return .describe
    }

    private mutating func connect() -> Step {
        self.hasConnected = true
        return .connect
    }

    /// Whether stations send a type, where it comes without an end; they send no films.
    private static func canBeStation(_ type: MediaType?) -> Bool {
        guard let type else { return true }
        return type.topLevel == "audio" || type.canonical == .ogg || type.isUninformative
    }
}

extension URLProbe.Answer {
    init(_ answer: StationAnswer) {
        let fields = answer.fields.map { (name: $0.0.lowercased(), value: $0.1) }
        self.init(
            mediaType: answer.mediaType.flatMap { MediaType(headerValue: $0) },
            length: fields.first { $0.name == "content-length" }.flatMap { Int64($0.value) },
            isStation: fields.contains { Self.isOfStation($0.name, $0.value) }
        )
    }

    /// Whether a field is one that stations send.
    private static func isOfStation(_ name: String, _ value: String) -> Bool {
        if name == "server" {
            return ["icecast", "shoutcast"].contains { value.lowercased().hasPrefix($0) }
        }
        return ["icy-", "ice-", "x-audiocast-"].contains { name.hasPrefix($0) }
    }
}
