// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Synchronization
import WeirTestKit

/// A Yandex.Disk on loopback: REST API, link host, authorization server and WebDAV, each an origin.
///
/// It is strict with clients. It answers a request that no client should send with 400, and notes
/// it in ``violations``. ``behaviour`` decides how it treats a correct client. ``record`` has every
/// request.
public final class YandexDiskServer: Sendable {
    /// The state that changes while the server runs.
    struct State: Sendable {
        var machine: YandexDiskMachine
        var folder: ServedFolder?
        var record: [RecordedRequest] = []
        /// Problems of input that is not HTTP.
        var garbage: [String] = []
        /// How many requests have been removed from the record.
        var cleared = 0
        var controlURL: String?
    }

    let state: Watched<State>
    let now: @Sendable () -> Double
    private let threads = Mutex<(group: MultiThreadedEventLoopGroup?, haveStarted: Bool)>(
        (nil, false)
    )

    /// Makes a server of files in memory.
    ///
    /// - Parameters:
    ///   - files: the files by their paths, with or without `disk:/`.
    ///   - behaviour: the switches.
    ///   - account: the owner of the disk, and the credentials for it.
    ///   - now: the time, in Unix seconds, by which links and tokens expire; called on any thread.
    public convenience init(
        files: [String: ServedFile] = [:],
        behaviour: Behaviour = Behaviour(),
        account: YandexDiskAccount = YandexDiskAccount(),
        now: @escaping @Sendable () -> Double = { WallClock.unixSeconds }
    ) {
        var machine = YandexDiskMachine(account: account, behaviour: behaviour)
        // Sorted, so that revisions are the same every time.
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            machine.tree.set(DiskPath(path), file)
        }
        self.init(machine, folder: nil, now)
    }

    /// Makes a server of a folder on this machine's disk.
    ///
    /// Every request reads the folder again. To change a file, replace it by another file of the
    /// same name. A file that is overwritten changes under old links, too.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - behaviour: the switches.
    ///   - account: the owner of the disk, and the credentials for it.
    ///   - now: the time, in Unix seconds, by which links and tokens expire; called on any thread.
    public convenience init(
        folder: String,
        behaviour: Behaviour = Behaviour(),
        account: YandexDiskAccount = YandexDiskAccount(),
        now: @escaping @Sendable () -> Double = { WallClock.unixSeconds }
    ) {
        let machine = YandexDiskMachine(account: account, behaviour: behaviour)
        self.init(machine, folder: ServedFolder(path: folder), now)
    }

    private init(
        _ machine: YandexDiskMachine,
        folder: ServedFolder?,
        _ now: @escaping @Sendable () -> Double
    ) {
        self.state = Watched(State(machine: machine, folder: folder))
        self.now = now
    }

    /// Starts to listen, each server at a port of its own that the system assigns.
    ///
    /// - Parameter withControl: whether there is a further listener, at ``controlURL``, through
    ///   which other programs read the record and set the switches.
    /// - Throws: the error of the system.
    public func start(withControl: Bool = false) async throws {
        // One thread only: with two, a thread that still accepts could pass a connection to a
        // thread that has ended.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isFirst = self.threads.withLock { threads in
            guard !threads.haveStarted else { return false }
            threads = (group, true)
            return true
        }
        precondition(isFirst, "a server is started once")
        do {
            for host in ServiceHost.allCases {
                var authority = try await self.service(of: host).listen(on: group)
                // Cookies belong to a name, not to a port (RFC 6265 §8.5): so the foreign host has
                // a name of its own.
                if host == .other {
                    authority = "localhost\(authority.dropFirst("127.0.0.1".count))"
                }
                self.state.update { $0.machine.authorities[host] = authority }
            }
            if withControl {
                let authority = try await self.controlService.listen(on: group)
                self.state.update { $0.controlURL = "http://\(authority)" }
            }
        } catch {
            await self.shutdown()
            throw error
        }
    }

    /// Closes everything; may be called any number of times.
    public func shutdown() async {
        let group = self.threads.withLock { $0.group.take() }
        try? await group?.shutdownGracefully()
    }

    /// Runs a server while a closure runs.
    ///
    /// - Parameter body: gets the server while it listens.
    /// - Returns: the closure's result.
    /// - Throws: the error of the system or of the closure.
    public func run<Result: Sendable>(
        _ body: (YandexDiskServer) async throws -> Result
    ) async throws -> Result {
        try await self.start()
        do {
            let result = try await body(self)
            await self.shutdown()
            return result
        } catch {
            await self.shutdown()
            throw error
        }
    }
}

/// The owner of a disk, and the credentials for it.
public struct YandexDiskAccount: Sendable {
    /// The name of the owner.
    public var login = "weir"
    /// Access tokens that never expire.
    public var tokens: Set<String>
    /// Passwords of applications, for WebDAV.
    public var appPasswords: Set<String> = ["weir-test-app-password"]
    /// The application that the authorization server knows.
    public var clientID: String
    /// The secret of the application, which its requests may omit.
    public var clientSecret = "weir-test-secret"
    /// The public files and folders: their paths by their public keys.
    public var published: [String: String]
    /// The size of the disk, in bytes.
    public var totalSpace: Int64 = 10 << 30

    /// Describes an account.
    ///
    /// - Parameters:
    ///   - tokens: access tokens that never expire.
    ///   - clientID: the application that the authorization server knows.
    ///   - published: the public files and folders: their paths by their public keys.
    public init(
        tokens: Set<String> = ["y0_weir-test-token"],
        clientID: String = "weir-test-client",
        published: [String: String] = [:]
    ) {
        self.tokens = tokens
        self.clientID = clientID
        self.published = published
    }
}
