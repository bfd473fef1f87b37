// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
import WeirCache

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The socket in a cache directory on which its owner answers; only the user who owns the directory may connect.
struct OwnerSocket: Sendable {
    /// The socket's name in the cache directory.
    static let fileName = "owner.socket"
    /// How many may connect before the owner looks.
    private static let backlog: CInt = 128
    /// The longest path that the system takes for a socket: 104 bytes on Apple platforms, 108 on Linux.
    private static let longestPath = 100

    /// The cache directory, as an absolute path.
    let directory: String

    /// Where the socket is.
    var path: String { "\(self.directory)/\(Self.fileName)" }

    /// Connects to the owner.
    ///
    /// - Throws: ``Interruption`` if nobody answers.
    func connect() async throws -> FrameChannel {
        do {
            return try await self.reachable(Self.fileName) { path in
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.autoRead, value: false)
                    .channelOption(.recvAllocator, value: Self.allocator)
                    .connect(unixDomainSocketPath: path) {
                        FrameChannel.wrap($0, longestMessage: Frame.longestAnswer)
                    }
            }
        } catch {
            try Task.checkCancellation()
            throw Interruption()
        }
    }

    /// Listens in the place of whoever did before; for the directory's owner.
    ///
    /// The socket is made under a name that nobody looks for, and gets its own when it may only be used by its
    /// user.
    ///
    /// - Parameter publish: does what it is given if this is still the owner, and nobody else can become it
    ///   meanwhile; tells whether it was done.
    /// - Returns: the connections of others.
    /// - Throws: ``Interruption`` if it is no longer the owner; what the system says.
    func listen(
        publish: (() -> Bool) -> Bool = { $0() }
    ) async throws -> NIOAsyncChannel<FrameChannel, Never> {
        guard publish(self.clean) else { throw Interruption() }
        let name = "\(Self.fileName).\(UInt32.random(in: 0...(.max)))"
        let temporary = "\(self.directory)/\(name)"
        let server = try await self.reachable(name) { path in
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: Self.backlog)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.recvAllocator, value: Self.allocator)
                .bind(unixDomainSocketPath: path) {
                    FrameChannel.wrap($0, longestMessage: Frame.longestRequest)
                }
        }
        let path = self.path
        guard publish({ chmod(temporary, 0o600) == 0 && rename(temporary, path) == 0 }) else {
            unlink(temporary)
            server.channel.close(promise: nil)
            throw Interruption()
        }
        return server
    }

    /// Takes away what an owner left that was killed while it began to listen.
    ///
    /// Names are not used again: a listener that closes takes the name away that it was made under.
    private func clean() -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        for name in names where name.hasPrefix("\(Self.fileName).") {
            unlink("\(self.directory)/\(name)")
        }
        return true
    }

    /// Takes the socket away; for its owner.
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
        guard descriptor >= 0 else { throw Interruption() }
        defer { close(descriptor) }
        return try await body("/proc/self/fd/\(descriptor)/\(name)")
    }
}
