// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// Decides whether a URL is a file, a station, a list or a folder; a pure machine.
///
/// There are two kinds of requests: the library's request for a file, and a player's request for a
/// station, with titles and without an end. Each request opens a connection, and playback should be
/// able to use the first one. So the name decides which request comes first.
///
/// A response without a length need not be a station: a transcoding server does not know the length
/// in advance. A URL is a station if the response has the header fields of a station, or if a
/// playlist or the user says so. Other content without a length is a file, which ends with its
/// bytes.
struct URLProbe {
    /// The head of the response to a station request.
    struct Answer: Hashable, Sendable {
        /// The media type, without parameters.
        var mediaType: MediaType?
        /// The length from the response.
        var length: Int64?
        /// Whether the response has fields of a station.
        var isStation = false

        /// Whether the response is a file, and not a station or a text; the file may still be a
        /// playlist.
        var isFile: Bool {
            PathKind.kind(of: self.mediaType) != .playlist && self.mediaType?.topLevel != "text"
                && (self.length != nil || !self.isStation)
        }
    }

    enum Step: Hashable, Sendable {
        /// Describe the URL through the library, then call ``described(_:)`` or
        /// ``failed(_:isEndless:)``.
        case describe
        /// Send a station request, then call ``answered(_:)`` or ``failed(_:isEndless:)``.
        case connect
        case file
        /// The URL is a station, and playback can use the response.
        case station
        /// The URL is a playlist: in the response, or to be read through the library.
        case playlist(isAnswered: Bool)
        /// The URL is a short text: a playlist if it parses as one, else a file.
        case text
        /// The URL may be a folder; if it is not, the last failure is the error.
        case folder
        /// The URL cannot be played; the last error gives the reason.
        case fail
    }

    private let kind: PathKind
    private let isFile: Bool
    private var hasDescribed = false
    private var hasConnected = false
    /// Whether the library got a description without a length.
    private var isDescribed = false

    /// A probe with the facts that are known before a request.
    ///
    /// - Parameters:
    ///   - kind: the kind that the path suggests.
    ///   - isFile: whether the URL must be a file: some bytes are held, Weir decrypts it, or Weir
    ///     is offline.
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
        // A resource with a length is a file. A resource that supports ranges has an end, too.
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
        // A page may be the listing of a folder, and media may have the type of a page. The
        // library's request shows this.
        if answer.mediaType?.isHTML == true, self.kind == .unknown {
            return self.hasDescribed ? .folder : self.describe()
        }
        let isShort = (1...Int64(Playlist.maximumByteCount)).contains(answer.length ?? 0)
        return isText && isShort && answer.mediaType?.isHTML == false ? .text : .file
    }

    /// Handles the failure of the last request.
    ///
    /// - Parameters:
    ///   - code: the code of the error.
    ///   - isEndless: whether there are too many redirects, which another request would follow,
    ///     too.
    /// - Returns: the next step.
    mutating func failed(_ code: SourceError.Code, isEndless: Bool = false) -> Step {
        // The library has a description, and the station request failed, so the URL is not a
        // station.
        if self.isDescribed { return .file }
        if isEndless { return .fail }
        switch code {
        case .badAnswer:
            // The library rejects the old protocol of some stations, and a station request may fail
            // for a file.
            if !self.hasConnected { return self.connect() }
            return self.hasDescribed ? .fail : self.describe()
        case .notFound, .forbidden, .notMedia:
            // A page may be the listing of a folder whose name has no slash.
            let isPage = self.kind == .unknown && code == .notMedia
            return self.kind == .folder || isPage ? .folder : .fail
        case .unreachable, .timedOut:
            // The held files of a folder play without its origin.
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

    /// Whether a response of this type, without a length, can be a station; stations send no films.
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

    /// Whether a header field is one that stations send.
    private static func isOfStation(_ name: String, _ value: String) -> Bool {
        if name == "server" {
            return ["icecast", "shoutcast"].contains { value.lowercased().hasPrefix($0) }
        }
        return ["icy-", "ice-", "x-audiocast-"].contains { name.hasPrefix($0) }
    }
}
