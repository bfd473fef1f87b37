// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirConsole
import WeirLive
import WeirProxy
import WeirSource

/// Finds the medium or the station for a proxied path.
final class MediaRouter: ProxyRouter {
    /// How many paths the router remembers, so that a request for one of them is a single look-up.
    private static let rememberedCount = 256

    private struct State {
        var references: [MediaReference]
        var known: [String: any ByteSource] = [:]
    }

    private let library: MediaLibrary
    private let events: ServingEvents?
    /// Whether the path starts with the reference's name.
    private let isNamed: Bool
    /// Whether the root answers with a list of the references.
    private let hasList: Bool
    private let state: Mutex<State>

    init(
        library: MediaLibrary,
        events: ServingEvents? = nil,
        references: [MediaReference],
        isNamed: Bool,
        hasList: Bool
    ) {
        self.library = library
        self.events = events
        self.state = Mutex(State(references: references))
        self.isNamed = isNamed
        self.hasList = hasList
    }

    /// The served references; active readers of removed ones continue.
    var references: [MediaReference] {
        get { self.state.withLock { $0.references } }
        set { self.state.withLock { $0 = State(references: newValue) } }
    }

    /// Whether the cache is open, in this process or in the owner of its folder, and can store data.
    var isReady: Bool { self.library.hasCache && self.events?.cacheTrouble == nil }

    func source(for target: String) -> (any ByteSource)? {
        let (known, references) = self.state.withLock { ($0.known[target], $0.references) }
        if let known { return known }
        // An item of a playlist is another medium once its playlist has changed.
        if let nested = NestedTarget(target[...]) { return self.item(at: nested) }
        guard let source = self.found(target, among: references) else { return nil }
        self.state.withLock { state in
            if state.known.count >= MediaRouter.rememberedCount { state.known = [:] }
            state.known[target] = source
        }
        return source
    }

    /// The path of a reference, to be appended to the secret.
    func path(of reference: MediaReference) -> String {
        self.isNamed ? "/\(reference.name)\(reference.target)" : reference.target
    }

    /// The identity of a source that this router has returned.
    func identity(of source: any ByteSource) -> ConsoleSubject.Identity {
        if let media = source as? Media ?? (source as? WebFolder)?.base {
            return ConsoleSubject.Identity(resource: media.cacheIdentifier)
        }
        let station = (source as? StationSource).flatMap { stream in
            self.references.compactMap(\.station).first { $0.stream === stream }
        }
        return ConsoleSubject.Identity(station: station?.name)
    }

    /// The path of a cached resource, to be appended to the secret; `nil` if no reference serves it.
    ///
    /// The resource's display name gives a candidate path. The identifier shows whether that path has the resource.
    func path(of resource: CachedResource) -> String? {
        let (known, references) = self.state.withLock { ($0.known, $0.references) }
        func isIt(_ source: (any ByteSource)?) -> Bool {
            (source as? Media)?.cacheIdentifier == resource.identifier
        }
        if let target = known.first(where: { isIt($0.value) })?.key { return target }
        for case .media(let location) in references {
            guard let below = location.target(ofMediaCalled: resource.display) else {
                continue
            }
            let target = self.isNamed ? "/\(location.name)\(below)" : below
            if isIt(self.source(for: target)) { return target }
        }
        return nil
    }

    /// The served medium of a cached resource; `nil` if no reference serves it.
    func media(of resource: CachedResource) -> Media? {
        self.path(of: resource).flatMap { self.source(for: $0) as? Media }
    }

    private func found(_ target: String, among references: [MediaReference]) -> (any ByteSource)? {
        guard self.isNamed else {
            return references.first.flatMap { self.source(of: $0, at: target[...]) }
        }
        let rest = target.dropFirst()
        guard let slash = rest.firstIndex(of: "/") else {
            guard self.hasList, ServedPath.path(of: target[...]) == "/" else { return nil }
            return Self.wantsPlaylist(target[...])
                ? MediaReference.playlist(references, in: self.library)
                : MediaReference.list(references)
        }
        let name = rest[..<slash]
        return references.first { $0.name == name }
            .flatMap { self.source(of: $0, at: rest[slash...]) }
    }

    private func item(at nested: NestedTarget) -> (any ByteSource)? {
        for path in [String(nested.base), "\(nested.base)/"] {
            let base = self.source(for: path + nested.query)
            let list = (base as? WebFolder)?.base ?? base
            if let item = (list as? any NestingSource)?.source(below: nested.names) { return item }
        }
        return nil
    }

    private func source(of reference: MediaReference, at target: Substring) -> (any ByteSource)? {
        let isPlaylist = Self.wantsPlaylist(target)
        let source = reference.served(target, in: self.library)
        return reference.folder(
            at: target,
            isPlaylist: isPlaylist,
            over: source as? Media,
            in: self.library
        ) ?? source
    }

    /// The query that turns a folder's URL into a playlist of its playable files.
    static let playlistQuery = "?m3u"

    private static func wantsPlaylist(_ target: Substring) -> Bool {
        target.hasSuffix(Self.playlistQuery)
    }
}
