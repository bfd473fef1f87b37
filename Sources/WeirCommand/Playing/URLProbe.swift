// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirSource

/// Decides what a URL is to a player: a file, a station, a list, a folder; a pure machine.
///
/// The library asks for a file in one way, a player for a station in another, with titles and without an end. Each
/// question is a connection, and the first should be the one that is kept: the name decides which question comes first.
struct URLProbe {
    /// The head of the answer to a station's question.
    struct Answer: Hashable, Sendable {
        /// Its type, without parameters.
        var mediaType: MediaType?
        /// Whether it says how long it is.
        var hasLength = false
        /// Whether it has fields that stations send.
        var isStation = false
    }

    enum Step: Hashable, Sendable {
        /// Ask the library what it is, then tell ``described(_:)`` or ``failed(_:)``.
        case describe
        /// Ask it as a station, then tell ``answered(_:)`` or ``failed(_:)``.
        case connect
        case file
        /// It is a station; the answer that came is the beginning of it.
        case station(isAnswered: Bool)
        /// It is a list: in the answer that came, or to be read through the library.
        case playlist(isAnswered: Bool)
        /// It may be a folder; if it is none, the last failure counts.
        case folder
        /// It cannot be played; the error that came last says why.
        case fail
    }

    private let kind: PathKind
    private let isFile: Bool
    private var hasDescribed = false
    private var hasConnected = false

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
        guard Self.canBeStation(description.mediaType) else { return .file }
        return self.hasConnected ? .file : .station(isAnswered: false)
    }

    mutating func answered(_ answer: Answer) -> Step {
        if PathKind.kind(of: answer.mediaType) == .playlist { return .playlist(isAnswered: true) }
        if answer.isStation, !answer.hasLength { return .station(isAnswered: true) }
        if !answer.hasLength, Self.canBeStation(answer.mediaType) {
            return .station(isAnswered: true)
        }
        let isPage = answer.mediaType.map { $0.isHTML || $0.topLevel == "text" } ?? false
        return isPage && self.kind == .folder ? .folder : .file
    }

    /// The last question was not answered as it should.
    mutating func failed(_ code: SourceError.Code) -> Step {
        switch code {
        case .badAnswer:
            // Half of HTTP, as stations speak it, is no answer to the library; and the other way round.
            if !self.hasConnected { return self.connect() }
            return self.hasDescribed ? .fail : self.describe()
        case .notFound, .forbidden, .notMedia:
            return self.kind == .folder ? .folder : .fail
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
        let names = answer.fields.map { $0.0.lowercased() }
        self.init(
            mediaType: answer.mediaType.flatMap { MediaType(headerValue: $0) },
            hasLength: names.contains("content-length"),
            isStation: names.contains { $0.hasPrefix("icy-") || $0.hasPrefix("ice-") }
        )
    }
}
