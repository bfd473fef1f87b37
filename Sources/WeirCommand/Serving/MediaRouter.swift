// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirProxy

/// Finds the medium or the station of a proxied path.
final class MediaRouter: ProxyRouter {
    /// How many paths are remembered, so that a request costs one look-up.
    private static let rememberedCount = 256

    private struct State {
        var references: [MediaReference]
        var known: [String: any ByteSource] = [:]
    }

    private let library: MediaLibrary
    /// Whether the path starts with the reference's name.
    private let isNamed: Bool
    /// Whether the root answers with a list of what is served.
    private let hasList: Bool
    private let state: Mutex<State>

    init(library: MediaLibrary, references: [MediaReference], isNamed: Bool, hasList: Bool) {
        self.library = library
        self.state = Mutex(State(references: references))
        self.isNamed = isNamed
        self.hasList = hasList
    }

    /// What is served; when it changes, readers of what was served go on.
    var references: [MediaReference] {
        get { self.state.withLock { $0.references } }
        set { self.state.withLock { $0 = State(references: newValue) } }
    }

    func source(for target: String) -> (any ByteSource)? {
        let (known, references) = self.state.withLock { ($0.known[target], $0.references) }
        if let known { return known }
        guard let source = self.found(target, among: references) else { return nil }
        self.state.withLock { state in
            if state.known.count >= MediaRouter.rememberedCount { state.known = [:] }
            state.known[target] = source
        }
        return source
    }

    /// The path under which players find a reference, to be put behind the secret.
    func path(of reference: MediaReference) -> String {
        self.isNamed ? "/\(reference.name)\(reference.target)" : reference.target
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

    private func source(of reference: MediaReference, at target: Substring) -> (any ByteSource)? {
        let isPlaylist = Self.wantsPlaylist(target)
        let source = reference.served(target, in: self.library)
        guard let text = reference.text(at: target, isPlaylist: isPlaylist, in: self.library) else {
            return source
        }
        guard !isPlaylist, let media = source as? Media else { return text }
        return WebFolder(base: media, text: text)
    }

    /// What is put behind the address of a folder to get a playlist of what can be played in it.
    static let playlistQuery = "?m3u"

    private static func wantsPlaylist(_ target: Substring) -> Bool {
        target.hasSuffix(Self.playlistQuery)
    }
}
