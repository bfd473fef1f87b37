// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import NIOCore
import NIOHTTP1
import NIOPosix
import WeirSource

/// A listener on this machine, to which the service redirects at the end of a log-in (RFC 8252
/// §7.3).
///
/// It waits for one answer: a query with the right state ends the log-in, and other requests do
/// not. It listens on 127.0.0.1 only, and every connection ends within seconds. It exists on macOS
/// and Linux. On Apple's other systems an application shows the page with `WebLogIn` of
/// WeirSwiftUI.
public final class LoopbackRedirect: Sendable {
    /// The port on which it listens.
    public let port: Int
    /// The path of the redirect.
    public let path: String

    private let channel: any Channel
    private let outcomes: AsyncThrowingStream<AuthorizationAnswer, any Error>
    private let ending: AsyncThrowingStream<AuthorizationAnswer, any Error>.Continuation

    private init(
        channel: any Channel,
        port: Int,
        path: String,
        outcomes: AsyncThrowingStream<AuthorizationAnswer, any Error>,
        ending: AsyncThrowingStream<AuthorizationAnswer, any Error>.Continuation
    ) {
        self.channel = channel
        self.port = port
        self.path = path
        self.outcomes = outcomes
        self.ending = ending
    }

    deinit {
        self.ending.finish()
        self.channel.close(promise: nil)
    }

    /// The address for `redirect_uri`: `http://127.0.0.1:PORT/PATH`.
    public var url: String { "http://127.0.0.1:\(self.port)\(self.path)" }

    /// Starts a listener.
    ///
    /// - Parameters:
    ///   - state: the value that the answer must repeat, as in ``AuthorizationRequest``.
    ///   - path: the path of the redirect, starting with a slash.
    ///   - port: the port; 0 for any free port.
    /// - Returns: the active listener.
    /// - Throws: ``/WeirSource/SourceError`` with `unreachable` if the port cannot be used, with
    ///   `invalidRequest` for an invalid port or path.
    public static func listen(
        state: String,
        path: String = "/",
        port: Int = 0
    ) async throws -> LoopbackRedirect {
        guard path.hasPrefix("/"), (0...65_535).contains(port) else {
            throw SourceError(
                .invalidRequest,
                "Weir cannot wait for a log-in on port \(port) at \(path); the port must be a number up to 65535 and"
                    + " the path must start with a slash."
            )
        }
        let (outcomes, ending) = AsyncThrowingStream.makeStream(of: AuthorizationAnswer.self)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(RequestSizeLimit())
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try pipeline.addHandler(RedirectHandler(path: path, state: state, ending))
                }
            }
        do {
            let channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            return LoopbackRedirect(
                channel: channel,
                port: channel.localAddress?.port ?? port,
                path: path,
                outcomes: outcomes,
                ending: ending
            )
        } catch {
            throw SourceError(
                .unreachable,
                "Weir cannot wait for the end of the log-in because it cannot listen on port \(port) of this computer;"
                    + " end the program that uses the port.",
                cause: error
            )
        }
    }

    /// Waits for the answer, and then stops listening; call it once.
    ///
    /// There is no time limit: a user may have to look for a password. Cancel the task to stop the
    /// wait.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `unauthorized` if the service refused,
    ///   `badAnswer` if the answer has no code, `closed` after ``close()``; `CancellationError`.
    public func answer() async throws -> AuthorizationAnswer {
        do {
            for try await answer in self.outcomes {
                await self.close()
                return answer
            }
        } catch {
            await self.close()
            throw error
        }
        await self.close()
        try Task.checkCancellation()
        throw SourceError(
            .closed,
            "The log-in ended before the browser sent an answer; log in again."
        )
    }

    /// Stops listening; a pending ``answer()`` fails.
    public func close() async {
        self.ending.finish()
        try? await self.channel.close()
    }
}

/// Closes a connection that sends more bytes than a browser does.
final class RequestSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Enough for a long query and many cookies.
    static let limit = 64 * 1024

    private var received = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.received += self.unwrapInboundIn(data).readableBytes
        guard self.received <= Self.limit else {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
#endif
