// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The socket in a cache directory on which its owner answers; only processes of the directory's user may connect.
struct OwnerSocket: Sendable {
    /// The socket's name in the cache directory.
    static let fileName = "owner.socket"
    /// How many connections wait until the owner accepts them.
    private static let backlog: CInt = 128
    /// The longest path that the system takes for a socket: 104 bytes on Apple platforms, 108 on Linux.
    private static let longestPath = 100

    /// The cache directory, as an absolute path.
    let directory: String
    /// Measures how long the other end is silent.
    let timeline: Timeline

    /// Where the socket is.
    var path: String { "\(self.directory)/\(Self.fileName)" }

    /// Connects to the owner.
    ///
    /// - Throws: ``PeerError/disconnected`` if no process listens; `CancellationError`.
    func connect() async throws -> PeerConnection {
        do {
            return try await self.reachable(Self.fileName) { path in
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.autoRead, value: false)
                    .channelOption(.recvAllocator, value: Self.allocator)
                    .connect(unixDomainSocketPath: path) {
                        PeerConnection.wrap(
                            $0,
                            longestMessage: Frame.longestAnswer,
                            timeline: self.timeline
                        )
                    }
            }
        } catch {
            try Task.checkCancellation()
            throw PeerError.disconnected
        }
    }

    /// Listens in the place of the owner before; for the directory's owner.
    ///
    /// The socket is made under a temporary name, and gets its own when only its user may connect to it.
    ///
    /// - Parameter publish: does what it is given if this is still the owner, and no other process can become it
    ///   meanwhile; tells whether it was done.
    /// - Returns: the connections of other processes.
    /// - Throws: ``PeerError/disconnected`` if it is no longer the owner; what the system says.
    func listen(
        publish: (() -> Bool) -> Bool = { $0() }
    ) async throws -> NIOAsyncChannel<PeerConnection, Never> {
        guard publish(self.clean) else { throw PeerError.disconnected }
        let name = "\(Self.fileName).\(UInt32.random(in: 0...(.max)))"
        let temporary = "\(self.directory)/\(name)"
        let server = try await self.reachable(name) { path in
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: Self.backlog)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.recvAllocator, value: Self.allocator)
                .bind(unixDomainSocketPath: path) {
                    PeerConnection.wrap(
                        $0,
                        longestMessage: Frame.longestRequest,
                        timeline: self.timeline
                    )
                }
        }
        let path = self.path
        guard publish({ chmod(temporary, 0o600) == 0 && rename(temporary, path) == 0 }) else {
            unlink(temporary)
            server.channel.close(promise: nil)
            throw PeerError.disconnected
        }
        return server
    }

    /// Removes the temporary names of owners that were killed when they began to listen.
    ///
    /// Names are not used again: a listener that closes takes the name away that it was made under.
    private func clean() -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        for name in names where name.hasPrefix("\(Self.fileName).") {
            unlink("\(self.directory)/\(name)")
        }
        return true
    }

    /// Removes the socket; for its owner.
    func remove() {
        unlink(self.path)
    }

    private static let allocator = AdaptiveRecvByteBufferAllocator(
        minimum: 1 << 10,
        initial: 64 << 10,
        maximum: 256 << 10
    )

    /// Gives a path to a file of the directory that is short enough for a socket.
    private func reachable<Result>(
        _ name: String,
        _ body: (String) async throws -> sending Result
    ) async throws -> sending Result {
        let path = "\(self.directory)/\(name)"
        guard path.utf8.count > Self.longestPath else { return try await body(path) }
        // Linux gives every open directory a short name.
        let descriptor = open(self.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PeerError.disconnected }
        defer { close(descriptor) }
        return try await body("/proc/self/fd/\(descriptor)/\(name)")
    }
}
