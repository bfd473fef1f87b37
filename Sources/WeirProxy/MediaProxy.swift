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
/// The proxy listens on the loopback interface, on a free port and behind a secret of 128 bits,
/// unless its configuration says otherwise. ``publish(_:as:)`` and ``check()`` restart it if its
/// socket has died, as the sockets of a suspended application on Apple platforms do. The proxy may
/// be used from any task, and holds its port until ``close(gracePeriod:)``.
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
    /// - Parameter configuration: where to listen, and which clients to answer; with port 0, the
    ///   proxy keeps the port that the system assigns.
    /// - Returns: the proxy, listening.
    /// - Throws: ``ProxyError`` with `portInUse`, `cannotListen`, `insecure`,
    ///   `invalidConfiguration` or `usersUnknown`.
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
    /// The proxy asks the source for its description, since players look at the extension of the
    /// address. A source that is an object keeps its address when it is published again under the
    /// same name. The proxy keeps the source alive.
    ///
    /// - Parameters:
    ///   - source: any source, such as a medium of a library, a file or a radio station.
    ///   - name: the end of the address; the proxy keeps its letters, digits, `-`, `_` and its
    ///     extension. `nil`: the name of the source.
    /// - Returns: the address that works now. It holds the proxy's secret: show it only to the
    ///   player. It stays valid while the proxy keeps its port. After a time in the background,
    ///   publish the source again to get the address that works then.
    /// - Throws: ``/WeirSource/SourceError`` if the source cannot describe itself; ``ProxyError``
    ///   with `shutDown` after ``close(gracePeriod:)``, `portInUse` or `cannotListen` if a dead
    ///   proxy could not be restarted; `CancellationError`.
    public func publish(_ source: any ByteSource, as name: String? = nil) async throws -> URL {
        let description = try await source.describe()
        let file = LegibleFileName(name ?? description.name, type: description.mediaType)
        let server = try await self.checked()
        return Self.url(server.baseURL + self.published.add(source, as: file.text))
    }

    /// Withdraws an address: later requests for it get 404, and responses under way continue.
    ///
    /// - Parameter url: an address from ``publish(_:as:)``; any other one has no effect.
    public func withdraw(_ url: URL) {
        let path = url.path(percentEncoded: true)
        for target in path.indices.lazy.filter({ path[$0] == "/" }).map({ String(path[$0...]) })
        where self.published.remove(target) {
            return
        }
    }

    /// Restarts the proxy if it no longer answers.
    ///
    /// It keeps its secret, and its port if that is still free. Call this when an application
    /// returns to the foreground. The call takes a millisecond while the proxy is alive, and some
    /// ten seconds at most. Calls at the same time share one check.
    ///
    /// - Throws: ``ProxyError`` with `shutDown` after ``close(gracePeriod:)``, `portInUse` or
    ///   `cannotListen` if it could not be restarted; the next call tries again.
    public func check() async throws(ProxyError) {
        _ = try await self.checked()
    }

    /// The events from now on: each request when it has ended, and changes of the proxy itself.
    ///
    /// A listener that is more than 256 events behind loses the oldest, and gets
    /// ``ProxyEvent/missed(_:)`` instead. The stream ends with ``close(gracePeriod:)``.
    public func events() -> AsyncStream<ProxyEvent> { self.feed.events() }

    /// The port that the proxy listens on now.
    public var port: Int { self.proxy.server.port }

    /// The current start of every address, without a slash at its end; it holds the secret.
    public var baseURL: URL { Self.url(self.proxy.baseURL) }

    /// Stops for good: stops listening, ends every connection, and returns when all have ended.
    ///
    /// - Parameter gracePeriod: how long responses that are being sent may take to be completed; a
    ///   day at most.
    public func close(gracePeriod: Duration = .zero) async {
        await self.proxy.shutdown(gracePeriod: gracePeriod)
        self.published.removeAll()
        self.feed.finish()
    }

    private func checked() async throws(ProxyError) -> ProxyServer {
        try await self.proxy.checked()
    }

    /// The URL of an address of this proxy, which has only characters that every URL may hold.
    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else {
            preconditionFailure("The address of the proxy is not a URL.")
        }
        return url
    }
}

/// The sources that a proxy has published, by the path of their address.
///
///     /7/Song.mp3
private final class PublishedSources: ProxyRouter {
    private struct State {
        var last = 0
        var sources: [String: any ByteSource] = [:]
        var targets: [ObjectIdentifier: String] = [:]
    }

    private let state = Mutex(State())

    /// Returns the path of a source: the existing one, or a new one.
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

    /// Removes a path; returns whether it existed.
    func remove(_ target: String) -> Bool {
        self.state.withLock { state in
            guard let source = state.sources.removeValue(forKey: target) else { return false }
            if let identity = Self.identity(of: source), state.targets[identity] == target {
                state.targets[identity] = nil
            }
            return true
        }
    }

    func removeAll() {
        self.state.withLock { state in
            (state.sources, state.targets) = ([:], [:])
        }
    }

    func source(for target: String) -> (any ByteSource)? {
        let known = self.state.withLock { state in
            state.sources[target] ?? state.sources[String(target.prefix { $0 != "?" })]
        }
        if let known { return known }
        guard let nested = NestedTarget(target[...]) else { return nil }
        let list = self.state.withLock { $0.sources[String(nested.base)] }
        return (list as? any NestingSource)?.source(below: nested.names)
    }

    /// The identity of a source that is an object; `nil` for a value.
    private static func identity(of source: any ByteSource) -> ObjectIdentifier? {
        guard type(of: source) is AnyClass else { return nil }
        return ObjectIdentifier(source as AnyObject)
    }
}
