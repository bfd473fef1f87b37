// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirHTTP
import WeirProxy

/// Divides the descriptors of the process among clients, data files of the cache and connections to origins.
///
/// The process's own descriptors come first: three for each event loop, those of the catalogue, of signals, timers
/// and the log, and some to spare, since the system's own libraries end the process where they get none.
/// Where there is plenty each gets what it wants, data files the rest up to ``mostDataFiles``, and clients what is left
/// then, up to ``mostClients``; where there is not, each gets its part of its wish, and never less than a few players need.
struct DescriptorBudget: Hashable, Sendable {
    /// The least number that is of use, and the wanted number.
    private typealias Share = (least: Int, wanted: Int)

    private static let clients: Share = (24, 512 + 64)
    private static let dataFiles: Share = (8, 256)
    private static let origins: Share = (8, 128)
    private static let least = clients.least + dataFiles.least + origins.least
    private static let wanted = clients.wanted + dataFiles.wanted + origins.wanted

    /// Below this `weir serve` does not start, on a machine of up to twelve processors.
    static let floor = 128
    /// The most data files that stay open.
    static let mostDataFiles = 1024
    /// The most clients that have a place, unless more are wanted.
    static let mostClients = 1024

    /// Descriptors of the process that no event loop has, measured with one player (18), as many as the proxy keeps back
    /// (16), and some to spare.
    private static let ownCount = 48

    /// How many clients are connected at a time.
    let clients: Int
    /// How many data files stay open between readings.
    let openDataFiles: Int
    /// How many connections to one origin there are; two origins can have as many at a time.
    let connectionsPerHost: Int
    /// The least limit with which all shares get their least; ``floor`` or more.
    let needed: Int
    /// Whether there is as much.
    let isEnough: Bool

    /// Divides.
    ///
    /// - Parameters:
    ///   - limit: how many descriptors the process may have.
    ///   - eventLoopCount: how many event loops there are, the proxy's included.
    ///   - mostClients: how many clients may have a place.
    init(limit: UInt64, eventLoopCount: Int, mostClients: Int = Self.mostClients) {
        let own = Self.ownCount + 3 * eventLoopCount
        let count = Int(clamping: limit)
        self.needed = max(Self.floor, own + Self.least)
        self.isEnough = count >= self.needed
        let available = max(0, count - own)
        let part = Self.part(Self.clients, of: available)
        // The reserve depends on the clients: as many clients as go with their reserve into the part.
        var clients = part - ProxyConfiguration.reserve(beside: part)
        while clients + 1 + ProxyConfiguration.reserve(beside: clients + 1) <= part { clients += 1 }
        let origins = Self.part(Self.origins, of: available)
        self.connectionsPerHost = min(16, max(2, origins / 2))
        let rest = available - Self.wanted + Self.dataFiles.wanted
        self.openDataFiles = min(
            Self.mostDataFiles,
            max(Self.part(Self.dataFiles, of: available), rest)
        )
        // From here on the clients' reserve is the largest that there is.
        let left = rest - Self.mostDataFiles
        self.clients = min(max(mostClients, Self.mostClients), clients + max(0, left))
    }

    /// Divides the descriptors that the system lets this process have.
    ///
    /// - Parameters:
    ///   - proxyLoopCount: how many event loops the proxy has; every other one is shared.
    ///   - mostClients: how many clients may have a place.
    init(proxyLoopCount: Int, mostClients: Int = Self.mostClients) {
        self.init(
            limit: OpenFileLimit.current ?? .max,
            eventLoopCount: ProcessInfo.processInfo.activeProcessorCount + proxyLoopCount,
            mostClients: mostClients
        )
    }

    /// The least of a share, and its part of the rest, in proportion to its wish.
    private static func part(_ share: Share, of available: Int) -> Int {
        let beyond = Self.wanted - Self.least
        let extra = min(max(available - Self.least, 0), beyond)
        return share.least + extra * (share.wanted - share.least) / beyond
    }

    /// Sets the limits of a library and of the proxy before it.
    func apply(to library: inout MediaLibrary.Configuration, _ proxy: inout ProxyConfiguration) {
        library.maximumOpenFiles = self.openDataFiles
        library.transport.connectionsPerHost = min(
            library.transport.connectionsPerHost,
            self.connectionsPerHost
        )
        proxy.maximumConnections = min(proxy.maximumConnections, self.clients)
    }

    /// Checks that the descriptors suffice to serve.
    ///
    /// - Throws: ``CommandError`` that says how to raise the limit.
    func check(limit: UInt64?) throws(CommandError) {
        guard !self.isEnough else { return }
        throw CommandError.failed(
            "weir serve needs \(self.needed) descriptors (open files and connections), and the system allows"
                + " \(limit.map(String.init) ?? "fewer"); raise the limit, such as with ulimit -n 1024, and start it again."
        )
    }
}
