// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import NIOPosix
import Synchronization
import WeirSource

/// A proxy that can be restarted with the same secret when its socket has died.
///
/// The restarted proxy has the same port if that is still free. On Apple platforms the sockets of a
/// suspended application may be gone when it returns to the foreground, and no event reports that.
/// Call ``checked()`` then, and before an address is given to a player:
///
/// ```swift
/// let proxy = try await SupervisedProxy.start(ProxyConfiguration(), router: router)
/// // When the application becomes active, and before each play:
/// let address = try await proxy.checked().baseURL + "/Song.mp3"
/// ```
///
/// May be used from any task. The proxy does nothing on its own: it has no timer, and makes
/// connections only in ``checked()``. It holds its port until ``shutdown(gracePeriod:)``.
package final class SupervisedProxy: Sendable {
    /// A check that is under way; all callers wait for it.
    private typealias Check = Task<Result<ProxyServer, ProxyError>, Never>

    private struct State {
        var server: ProxyServer
        var check: Check?
        var isShutDown = false
    }

    private let configuration: ProxyConfiguration
    private let router: any ProxyRouter
    private let eventLoopGroup: (any EventLoopGroup)?
    private let policy: RevivalPolicy
    private let onEvent: (@Sendable (ProxyEvent) -> Void)?
    private let state: Mutex<State>
    private let addresses = Broadcast<String>(capacity: 1)

    private init(
        _ server: ProxyServer,
        _ configuration: ProxyConfiguration,
        router: any ProxyRouter,
        eventLoopGroup: (any EventLoopGroup)?,
        policy: RevivalPolicy,
        onEvent: (@Sendable (ProxyEvent) -> Void)?
    ) {
        self.configuration = configuration
        self.router = router
        self.eventLoopGroup = eventLoopGroup
        self.policy = policy
        self.onEvent = onEvent
        self.state = Mutex(State(server: server))
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - configuration: where to listen, and which clients to answer; with port 0, the proxy
    ///     keeps the port that the system assigns.
    ///   - router: finds the source of an address.
    ///   - eventLoopGroup: the event loops to run on, which the proxy does not shut down; `nil`:
    ///     the proxy has threads of its own.
    ///   - policy: when the proxy counts as dead, and on which port it may restart.
    ///   - onEvent: receives events on an event loop, and must return at once. It also receives the
    ///     requests that ``checked()`` makes.
    /// - Returns: the proxy, listening.
    /// - Throws: ``ProxyError``, as `ProxyServer.start` does.
    package static func start(
        _ configuration: ProxyConfiguration,
        router: any ProxyRouter,
        eventLoopGroup: (any EventLoopGroup)? = nil,
        policy: RevivalPolicy = RevivalPolicy(),
        onEvent: (@Sendable (ProxyEvent) -> Void)? = nil
    ) async throws(ProxyError) -> SupervisedProxy {
        let server = try await ProxyServer.start(
            configuration,
            router: router,
            eventLoopGroup: eventLoopGroup,
            onEvent: onEvent
        )
        return SupervisedProxy(
            server,
            configuration,
            router: router,
            eventLoopGroup: eventLoopGroup,
            policy: policy,
            onEvent: onEvent
        )
    }

    /// The proxy as it is now, dead or alive.
    package var server: ProxyServer { self.state.withLock { $0.server } }

    /// The start of every resource's address, at present; it holds the secret.
    package var baseURL: String { self.server.baseURL }

    /// The start of all addresses now, and each later change; a slow consumer gets the newest.
    ///
    /// The address changes only when the proxy had to take another port. The stream ends with
    /// ``shutdown(gracePeriod:)``.
    package func baseURLChanges() -> AsyncStream<String> {
        // Under the lock, so that the stream does not get a new address before the old one.
        self.state.withLock { self.addresses.stream(startingWith: $0.server.baseURL) }
    }

    /// Returns the proxy that answers; restarts it if it does not answer.
    ///
    /// Calls during a check share it. A dead proxy is shut down, which ends its remaining
    /// connections. The new one has the same configuration and secret. It has the same port, unless
    /// another program has taken the port and ``RevivalPolicy/mayChangePort`` allows a free one.
    /// The call takes a millisecond while the proxy is alive, and at most
    /// ``RevivalPolicy/answerLimit`` and some ten seconds. A cancelled task waits for the check,
    /// too.
    ///
    /// - Returns: the proxy that listens now.
    /// - Throws: ``ProxyError`` with `shutDown` after ``shutdown(gracePeriod:)``, `portInUse` or
    ///   `cannotListen` if the proxy could not be restarted; the next call tries again.
    @discardableResult
    package func checked() async throws(ProxyError) -> ProxyServer {
        let check = self.state.withLock { state -> Check? in
            if state.isShutDown { return nil }
            if let check = state.check { return check }
            let server = state.server
            // Owned by the proxy; ends with the check; is not cancelled, because others wait for
            // it, too.
            let check = Check { await self.check(server) }
            state.check = check
            return check
        }
        guard let check else { throw Self.shutDownError }
        return try await check.value.get()
    }

    /// Stops for good: stops listening, ends every connection, and returns when all have ended.
    ///
    /// Waits for a check that is under way. A second call waits until the first one has ended.
    ///
    /// - Parameter gracePeriod: how long responses that are being sent may take to be completed; a
    ///   day at most.
    package func shutdown(gracePeriod: Duration = .zero) async {
        let check = self.state.withLock { state in
            state.isShutDown = true
            return state.check
        }
        self.addresses.finish()
        _ = await check?.value
        await self.server.shutdown(gracePeriod: gracePeriod)
    }

    private func check(_ server: ProxyServer) async -> Result<ProxyServer, ProxyError> {
        let result: Result<ProxyServer, ProxyError>
        if await server.isAnswering(within: self.policy.answerLimit) {
            result = .success(server)
        } else {
            await Self.end(server)
            result = await self.revived(on: server.port)
        }
        return self.state.withLock { state in
            state.check = nil
            guard case .success(let server) = result else { return result }
            let hasMoved = server.baseURL != state.server.baseURL
            // Even if `shutdown` was called: it waits for this check, and then shuts this server
            // down.
            state.server = server
            if state.isShutDown { return .failure(Self.shutDownError) }
            if hasMoved { self.addresses.tell(server.baseURL) }
            return result
        }
    }

    /// Shuts a dead proxy down.
    ///
    /// Waits at most twice ``ProxyServer/patience``; with running event loops, a shutdown takes no
    /// longer.
    private static func end(_ server: ProxyServer) async {
        await withCheckedContinuation { continuation in
            let isOver = Mutex(false)
            let over: @Sendable () -> Void = {
                let isFirst = isOver.withLock { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if isFirst { continuation.resume() }
            }
            // On a thread that is not the proxy's, because the proxy's own thread may hang.
            MultiThreadedEventLoopGroup.singleton.next().scheduleTask(
                in: ProxyServer.patience * 2,
                over
            )
            // Without an owner: ends with the proxy, or never if its event loop hangs for ever.
            Task {
                await server.shutdown()
                over()
            }
        }
    }

    private func revived(on port: Int) async -> Result<ProxyServer, ProxyError> {
        var configuration = self.configuration
        configuration.port = port
        while true {
            if self.state.withLock({ $0.isShutDown }) { return .failure(Self.shutDownError) }
            do throws(ProxyError) {
                return .success(
                    try await ProxyServer.start(
                        configuration,
                        router: self.router,
                        eventLoopGroup: self.eventLoopGroup,
                        onEvent: self.onEvent
                    )
                )
            } catch {
                guard
                    let next = self.policy.nextPort(
                        after: configuration.port,
                        failedWith: error.code
                    )
                else { return .failure(error) }
                configuration.port = next
            }
        }
    }

    private static var shutDownError: ProxyError {
        ProxyError(.shutDown, "The proxy was shut down; start another one.")
    }
}

/// How a proxy whose socket has died is restarted.
package struct RevivalPolicy: Sendable, Hashable {
    /// How long a proxy may take to answer before it counts as dead; a day at most.
    package var answerLimit: Duration
    /// Whether a proxy may go to a free port when another program has taken its own.
    ///
    /// Its addresses then change, and players need the new ones. Otherwise the proxy stays dead
    /// until its port is free.
    package var mayChangePort: Bool

    /// The defaults: one second, and another port if necessary.
    package init(answerLimit: Duration = .seconds(1), mayChangePort: Bool = true) {
        self.answerLimit = answerLimit
        self.mayChangePort = mayChangePort
    }

    /// The port for the next attempt, after an attempt to restart the proxy has failed.
    ///
    /// - Parameters:
    ///   - port: the port of the failed attempt.
    ///   - code: why it failed.
    /// - Returns: 0 for any free port; `nil` if there is no further attempt.
    func nextPort(after port: Int, failedWith code: ProxyError.Code) -> Int? {
        self.mayChangePort && port != 0 && code == .portInUse ? 0 : nil
    }
}
