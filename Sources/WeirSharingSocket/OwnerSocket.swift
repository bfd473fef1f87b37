// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
package import WeirSharing
package import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The socket on which the owner of a cache directory answers; only processes of the owner's user
/// may connect.
package struct OwnerSocket: OwnerEndpoint {
    /// How many connections wait until the owner accepts them.
    private static let backlog: CInt = 128

    /// The location of the socket.
    let place: SocketPlace
    /// Measures the silence of the other end.
    let timeline: Timeline

    init(place: SocketPlace, timeline: Timeline) {
        self.place = place
        self.timeline = timeline
    }

    /// The socket of a directory; `nil` if its path is too long for the system.
    ///
    /// - Parameters:
    ///   - directory: the cache directory, as an absolute path.
    ///   - timeline: measures the silence of the other end.
    package init?(of directory: String, timeline: Timeline) {
        guard let place = SocketPlace(of: directory) else { return nil }
        self.init(place: place, timeline: timeline)
    }

    package func connect() async throws -> any FrameChannel {
        do {
            return try await self.reachable(self.place.fileName, in: self.place.folder) { path in
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.autoRead, value: false)
                    .channelOption(.recvAllocator, value: Self.allocator)
                    .connect(unixDomainSocketPath: path) {
                        SocketChannel.wrap(
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

    /// Listens in place of the previous owner; only for the directory's owner.
    ///
    /// The socket is created under a temporary name, and gets its final name when only the owner's
    /// user may connect to it.
    ///
    /// - Parameter publish: see ``serve(publish:answer:)``.
    /// - Returns: the connections of other processes.
    /// - Throws: like ``serve(publish:answer:)``.
    func listen(
        publish: (() -> Bool) -> Bool = { $0() }
    ) async throws -> NIOAsyncChannel<SocketChannel, Never> {
        let place = self.place
        guard publish({ Self.clean(place) }) else { throw PeerError.disconnected }
        let name = "\(place.fileName).\(UInt32.random(in: 0...(.max)))"
        let temporary = "\(place.folder)/\(name)"
        let server = try await self.reachable(name, in: place.folder) { path in
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: Self.backlog)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.recvAllocator, value: Self.allocator)
                .bind(unixDomainSocketPath: path) {
                    SocketChannel.wrap(
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

    /// Removes temporary names that owners left when they were killed at their start.
    ///
    /// Each name is used once, because a listener that closes removes the name under which it was
    /// created.
    private static func clean(_ place: SocketPlace) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []
        for name in names where name.hasPrefix("\(place.fileName).") {
            unlink("\(place.folder)/\(name)")
        }
        return true
    }

    package func serve(
        publish: (() -> Bool) -> Bool,
        answer: @escaping @Sendable (any FrameChannel) async -> Void
    ) async throws {
        let server = try await self.listen(publish: publish)
        try await server.executeThenClose { channels in
            try await withThrowingDiscardingTaskGroup { group in
                for try await channel in channels { group.addTask { await answer(channel) } }
            }
        }
    }

    package func remove() {
        unlink(self.place.path)
    }

    private static let allocator = AdaptiveRecvByteBufferAllocator(
        minimum: 1 << 10,
        initial: 64 << 10,
        maximum: 256 << 10
    )

    /// Passes `body` a path of the file that is short enough for a socket.
    private func reachable<Result>(
        _ name: String,
        in folder: String,
        _ body: (String) async throws -> sending Result
    ) async throws -> sending Result {
        let path = "\(folder)/\(name)"
        guard path.utf8.count > SocketPlace.longestPath else { return try await body(path) }
        // Linux gives every open directory a short name; on other systems, a `SocketPlace` never
        // has a long path.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PeerError.disconnected }
        defer { close(descriptor) }
        return try await body("/proc/self/fd/\(descriptor)/\(name)")
    }
}
