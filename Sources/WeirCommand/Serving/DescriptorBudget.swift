// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirHTTP
import WeirProxy

/// Divides the descriptors of the process among clients, data files of the cache and connections to
/// origins.
///
/// The process's own descriptors come first: three for each event loop, the descriptors of the
/// catalogue, signals, timers and the log, and a reserve. The reserve is needed because the
/// system's libraries end the process if they get no descriptor.
///
/// With enough descriptors, each share gets its wanted number. Data files get the rest up to
/// ``mostDataFiles``, then clients up to ``mostClients``. With fewer, each share gets its least
/// number, which is enough for a few players, and a proportional part of the rest.
struct DescriptorBudget: Hashable, Sendable {
    /// The smallest useful number, and the wanted number.
    private typealias Share = (least: Int, wanted: Int)

    private static let clients: Share = (24, 512 + 64)
    private static let dataFiles: Share = (8, 256)
    private static let origins: Share = (8, 128)
    private static let least = clients.least + dataFiles.least + origins.least
    private static let wanted = clients.wanted + dataFiles.wanted + origins.wanted

    /// The smallest limit with which `weir serve` starts, on a machine with up to twelve
    /// processors.
    static let floor = 128
    /// The most data files that stay open.
    static let mostDataFiles = 1024
    /// The default limit for connected clients.
    static let mostClients = 1024

    /// Descriptors of the process outside the event loops.
    ///
    /// Measured with one player (18), plus the proxy's reserve (16), and some to spare.
    private static let ownCount = 48

    /// How many clients may be connected at a time.
    let clients: Int
    /// How many data files stay open between reads.
    let openDataFiles: Int
    /// How many connections one origin may have; two origins may have that many at the same time.
    let connectionsPerHost: Int
    /// The smallest limit that gives all shares their least number; ``floor`` or more.
    let needed: Int
    /// Whether the limit is at least ``needed``.
    let isEnough: Bool

    /// Divides a number of descriptors.
    ///
    /// - Parameters:
    ///   - limit: the process's limit of descriptors.
    ///   - eventLoopCount: the number of event loops, including the proxy's.
    ///   - mostClients: the largest number of clients.
    init(limit: UInt64, eventLoopCount: Int, mostClients: Int = Self.mostClients) {
        let own = Self.ownCount + 3 * eventLoopCount
        let count = Int(clamping: limit)
        self.needed = max(Self.floor, own + Self.least)
        self.isEnough = count >= self.needed
        let available = max(0, count - own)
        let part = Self.part(Self.clients, of: available)
        // The reserve depends on the number of clients: find the largest number of clients that
        // fits with its reserve.
        var clients = part - ProxyConfiguration.reserve(beside: part)
        while clients + 1 + ProxyConfiguration.reserve(beside: clients + 1) <= part { clients += 1 }
        let origins = Self.part(Self.origins, of: available)
        self.connectionsPerHost = min(16, max(2, origins / 2))
        let rest = available - Self.wanted + Self.dataFiles.wanted
        self.openDataFiles = min(
            Self.mostDataFiles,
            max(Self.part(Self.dataFiles, of: available), rest)
        )
        // From here on the reserve no longer grows with the number of clients.
        let left = rest - Self.mostDataFiles
        self.clients = min(max(mostClients, Self.mostClients), clients + max(0, left))
    }

    /// Divides the descriptors that the system allows this process.
    ///
    /// - Parameters:
    ///   - proxyLoopCount: the number of the proxy's event loops; all others are shared.
    ///   - mostClients: the largest number of clients.
    init(proxyLoopCount: Int, mostClients: Int = Self.mostClients) {
        self.init(
            limit: OpenFileLimit.current ?? .max,
            eventLoopCount: ProcessInfo.processInfo.activeProcessorCount + proxyLoopCount,
            mostClients: mostClients
        )
    }

    /// The least number of a share, and its proportional part of the rest.
    private static func part(_ share: Share, of available: Int) -> Int {
        let beyond = Self.wanted - Self.least
        let extra = min(max(available - Self.least, 0), beyond)
        return share.least + extra * (share.wanted - share.least) / beyond
    }

    /// Sets the limits of a library and of its proxy.
    func apply(to library: inout MediaLibrary.Configuration, _ proxy: inout ProxyConfiguration) {
        library.maximumOpenFiles = self.openDataFiles
        library.transport.connectionsPerHost = min(
            library.transport.connectionsPerHost,
            self.connectionsPerHost
        )
        proxy.maximumConnections = min(proxy.maximumConnections, self.clients)
    }

    /// Checks that there are enough descriptors for serving.
    ///
    /// - Throws: ``CommandError``, which says how to raise the limit.
    func check(limit: UInt64?) throws(CommandError) {
        guard !self.isEnough else { return }
        throw CommandError.failed(
            "weir serve needs \(self.needed) descriptors (open files and connections), and the system allows"
                + " \(limit.map(String.init) ?? "fewer"); raise the limit, such as with ulimit -n 1024, and start it again."
        )
    }
}
