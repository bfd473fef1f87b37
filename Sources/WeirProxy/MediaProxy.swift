// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Gives byte sources addresses that any player on this machine can open.
///
///     let proxy = try await MediaProxy.start()
///     let url = try await proxy.publish(song)
///     // AVPlayer(url: url), mpv, a browser …
///     await proxy.close()
///
/// The proxy listens on the loopback interface, on a free port and behind a secret of 128 bits, unless its configuration
/// says otherwise. It starts anew by itself where its socket has died, as those of a suspended application on Apple
/// platforms do: ``publish(_:as:)`` and ``check()`` look first. It may be used from any task, and holds its port until
/// ``close(gracePeriod:)``.
public final class MediaProxy: Sendable {
    private let proxy: SupervisedProxy
    private let published: PublishedSources
    private let feed: Broadcast<ProxyEvent>

    private init(
        _ proxy: SupervisedProxy,
        _ published: PublishedSources,
        _ feed: Broadcast<ProxyEvent>
    ) {
        self.proxy = proxy
        self.published = published
        self.feed = feed
    }

    /// Starts to listen.
    ///
    /// - Parameter configuration: where, and which clients to answer; with port 0, the port that is got now is kept.
    /// - Returns: the proxy, listening.
    /// - Throws: ``ProxyError`` with `portInUse`, `cannotListen`, `insecure`, `invalidConfiguration` or `usersUnknown`.
    public static func start(
        _ configuration: ProxyConfiguration = ProxyConfiguration()
    ) async throws(ProxyError) -> MediaProxy {
        let published = PublishedSources()
        let feed = Broadcast<ProxyEvent>()
        let proxy = try await SupervisedProxy.start(
            configuration,
            router: published,
            onEvent: { feed.tell($0) }
        )
        return MediaProxy(proxy, published, feed)
    }

    /// Gives a source an address, until ``withdraw(_:)`` or ``close(gracePeriod:)``.
    ///
    /// The source is asked what it is, since players go by the extension of the address. A source that is an object has
    /// one address, however often it is published; the proxy keeps it alive.
    ///
    /// - Parameters:
    ///   - source: any source: a medium of a library, a file, a radio station's.
    ///   - name: what the address ends with, of which letters, digits, `-`, `_` and the extension are taken; `nil`: what
    ///     the source is called.
    /// - Returns: the address that works now. It holds the proxy's secret: show it only to the player. It stays good while
    ///   the proxy keeps its port; after a time in the background, publish again for the address that works then.
    /// - Throws: ``/WeirSource/SourceError`` if the source cannot say what it is; ``ProxyError`` with `shutDown` after
    ///   ``close(gracePeriod:)``, `portInUse` or `cannotListen` if a dead proxy could not be started anew;
    ///   `CancellationError`.
    public func publish(_ source: any ByteSource, as name: String? = nil) async throws -> URL {
        let description = try await source.describe()
        let file = LegibleFileName(name ?? description.name, type: description.mediaType)
        let server = try await self.checked()
        return Self.url(server.baseURL + self.published.add(source, as: file.text))
    }

    /// Takes an address back: later requests for it are told 404, responses under way go on.
    ///
    /// - Parameter url: as ``publish(_:as:)`` gave it; another one does nothing.
    public func withdraw(_ url: URL) {
        let path = url.path(percentEncoded: true)
        for target in path.indices.lazy.filter({ path[$0] == "/" }).map({ String(path[$0...]) })
        where self.published.remove(target) {
            return
        }
    }

    /// Starts the proxy anew if it no longer answers, with the same secret and, if it is still to be had, on the same
    /// port.
    ///
    /// For an application that returns to the foreground. Takes a millisecond while the proxy is alive, some ten seconds
    /// at most; calls at the same time share one check.
    ///
    /// - Throws: ``ProxyError`` with `shutDown` after ``close(gracePeriod:)``, `portInUse` or `cannotListen` if it could
    ///   not be started; the next call tries again.
    public func check() async throws(ProxyError) {
        _ = try await self.checked()
    }

    /// What happens from now on: each request when it has been dealt with, and what befalls the proxy itself.
    ///
    /// A listener that is more than 256 events behind loses the oldest, and gets ``ProxyEvent/missed(_:)`` in their place.
    /// Ends with ``close(gracePeriod:)``.
    public func events() -> AsyncStream<ProxyEvent> { self.feed.events() }

    /// The port that the proxy listens on now.
    public var port: Int { self.proxy.server.port }

    /// What every address begins with now, without a slash at its end; it holds the secret.
    public var baseURL: URL { Self.url(self.proxy.baseURL) }

    /// Stops for good: listens no more, ends every connection, and returns when all has ended.
    ///
    /// - Parameter gracePeriod: how long responses that are on their way may take to be completed; a day at most.
    public func close(gracePeriod: Duration = .zero) async {
        await self.proxy.shutdown(gracePeriod: gracePeriod)
        self.published.removeAll()
        self.feed.finish()
    }

    private func checked() async throws(ProxyError) -> ProxyServer {
        try await self.proxy.checked()
    }

    /// An address of this proxy: letters, digits and signs that every URL may hold.
    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else {
            preconditionFailure("The address of the proxy is no URL.")
        }
        return url
    }
}

/// The sources that a proxy has given addresses, by the number in their path.
///
///     /7/Song.mp3
private final class PublishedSources: ProxyRouter {
    private struct State {
        var last = 0
        var sources: [String: any ByteSource] = [:]
        var targets: [ObjectIdentifier: String] = [:]
    }

    private let state = Mutex(State())
    private let changes = Atomic(0)

    var revision: Int? { self.changes.load(ordering: .acquiring) }

    /// The path of a source, the one that it has or a new one.
    func add(_ source: any ByteSource, as name: String) -> String {
        self.state.withLock { state in
            let identity = Self.identity(of: source)
            if let target = identity.flatMap({ state.targets[$0] }), target.hasSuffix("/\(name)") {
                return target
            }
            state.last += 1
            let target = "/\(state.last)/\(name)"
            state.sources[target] = source
            if let identity { state.targets[identity] = target }
            return target
        }
    }

    /// Takes a path back; whether there was such a one.
    func remove(_ target: String) -> Bool {
        self.state.withLock { state in
            guard let source = state.sources.removeValue(forKey: target) else { return false }
            self.changes.add(1, ordering: .releasing)
            if let identity = Self.identity(of: source), state.targets[identity] == target {
                state.targets[identity] = nil
            }
            return true
        }
    }

    func removeAll() {
        self.state.withLock { state in
            (state.sources, state.targets) = ([:], [:])
            self.changes.add(1, ordering: .releasing)
        }
    }

    func source(for target: String) -> (any ByteSource)? {
        let path = target.prefix { $0 != "?" }
        return self.state.withLock { $0.sources[String(path)] }
    }

    /// What tells an object from every other one that is published; `nil` for a value.
    private static func identity(of source: any ByteSource) -> ObjectIdentifier? {
        guard type(of: source) is AnyClass else { return nil }
        return ObjectIdentifier(source as AnyObject)
    }
}
