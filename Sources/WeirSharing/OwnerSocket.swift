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

/// The socket of a cache directory on which its owner answers; only processes of the directory's user may connect.
struct OwnerSocket: Sendable {
    /// How many connections wait until the owner accepts them.
    private static let backlog: CInt = 128

    /// Where the socket is; `nil` where a directory has none: nobody answers then, and nobody is reached.
    let place: SocketPlace?
    /// Measures how long the other end is silent.
    let timeline: Timeline

    /// Connects to the owner.
    ///
    /// - Throws: ``PeerError/disconnected`` if no process listens; `CancellationError`.
    func connect() async throws -> PeerConnection {
        do {
            guard let place else { throw PeerError.disconnected }
            return try await self.reachable(place.fileName, in: place.folder) { path in
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
        guard let place, publish({ Self.clean(place) }) else { throw PeerError.disconnected }
        let name = "\(place.fileName).\(UInt32.random(in: 0...(.max)))"
        let temporary = "\(place.folder)/\(name)"
        let server = try await self.reachable(name, in: place.folder) { path in
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
        guard publish({ chmod(temporary, 0o600) == 0 && rename(temporary, place.path) == 0 }) else {
            unlink(temporary)
            server.channel.close(promise: nil)
            throw PeerError.disconnected
        }
        return server
    }

    /// Removes the temporary names of owners that were killed when they began to listen.
    ///
    /// Names are not used again: a listener that closes takes the name away that it was made under.
    private static func clean(_ place: SocketPlace) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []
        for name in names where name.hasPrefix("\(place.fileName).") {
            unlink("\(place.folder)/\(name)")
        }
        return true
    }

    /// Removes the socket; for its owner.
    func remove() {
        if let place { unlink(place.path) }
    }

    private static let allocator = AdaptiveRecvByteBufferAllocator(
        minimum: 1 << 10,
        initial: 64 << 10,
        maximum: 256 << 10
    )

    /// Gives a path to a file of a folder that is short enough for a socket.
    private func reachable<Result>(
        _ name: String,
        in folder: String,
        _ body: (String) async throws -> sending Result
    ) async throws -> sending Result {
        let path = "\(folder)/\(name)"
        guard path.utf8.count > SocketPlace.longestPath else { return try await body(path) }
        // Linux gives every open directory a short name; elsewhere no place has a long path.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PeerError.disconnected }
        defer { close(descriptor) }
        return try await body("/proc/self/fd/\(descriptor)/\(name)")
    }
}
