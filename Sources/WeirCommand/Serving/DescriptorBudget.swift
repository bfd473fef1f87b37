// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirProxy

/// Divides the descriptors of the process among clients, data files of the cache and connections to origins.
///
/// What the process needs for itself comes first: three for each event loop, those of the catalogue, of signals, timers
/// and the log, and some that nobody counts on, since the system's own libraries end the process where they get none.
/// Where there is plenty everybody gets what it wants, and data files the rest up to ``mostDataFiles``; where there is
/// not, each gets its part of what it wants, and never less than what a few players need.
struct DescriptorBudget: Hashable, Sendable {
    /// A part of the descriptors: the least that is of use, and what is wanted.
    private struct Share {
        let least: Int
        let wanted: Int

        /// The least, and of what is beyond everybody's least as large a part as that of what is wanted beyond it.
        func part(of available: Int) -> Int {
            let beyond = DescriptorBudget.wanted - DescriptorBudget.least
            let extra = min(max(available - DescriptorBudget.least, 0), beyond)
            return self.least + extra * (self.wanted - self.least) / beyond
        }
    }

    private static let clients = Share(least: 24, wanted: 512 + 64)
    private static let dataFiles = Share(least: 8, wanted: 256)
    private static let origins = Share(least: 8, wanted: 128)
    private static let least = clients.least + dataFiles.least + origins.least
    private static let wanted = clients.wanted + dataFiles.wanted + origins.wanted

    /// Below this `weir serve` does not start, on a machine of up to twelve processors.
    static let floor = 128
    /// The most data files that stay open.
    static let mostDataFiles = 1024

    /// Descriptors of the process that no event loop has, measured with one player (18), as many as the proxy keeps back
    /// (16), and some to spare.
    private static let ownCount = 48

    /// How many clients have a place.
    let places: Int
    /// How many data files stay open when nobody reads them.
    let openDataFiles: Int
    /// How many connections to one origin there are; two origins can have as many at a time.
    let connectionsPerHost: Int
    /// What there would have to be for less than the least to be in use; ``floor`` or more.
    let needed: Int
    /// Whether there is as much.
    let isEnough: Bool

    /// Divides.
    ///
    /// - Parameters:
    ///   - limit: how many descriptors the process may have.
    ///   - eventLoopCount: how many event loops there are, the proxy's included.
    init(limit: UInt64, eventLoopCount: Int) {
        let own = Self.ownCount + 3 * eventLoopCount
        let count = Int(clamping: limit)
        self.needed = max(Self.floor, own + Self.least)
        self.isEnough = count >= self.needed
        let available = max(0, count - own)
        let clients = Self.clients.part(of: available)
        // The reserve depends on the places: as many places as go with their reserve into the part.
        var places = clients - ProxyConfiguration.reserve(beside: clients)
        while places + 1 + ProxyConfiguration.reserve(beside: places + 1) <= clients { places += 1 }
        self.places = places
        let origins = Self.origins.part(of: available)
        self.connectionsPerHost = min(16, max(2, origins / 2))
        let rest = available - Self.wanted + Self.dataFiles.wanted
        self.openDataFiles = min(Self.mostDataFiles, max(Self.dataFiles.part(of: available), rest))
    }

    /// Divides what the system lets this process have.
    ///
    /// - Parameter proxyLoopCount: how many event loops the proxy has; every other one is shared.
    init(proxyLoopCount: Int) {
        self.init(
            limit: OpenFileLimit.current ?? .max,
            eventLoopCount: ProcessInfo.processInfo.activeProcessorCount + proxyLoopCount
        )
    }

    /// Sets the limits of a library and of the proxy before it.
    func apply(to library: inout MediaLibrary.Options, _ proxy: inout ProxyConfiguration) {
        library.maximumOpenFiles = self.openDataFiles
        library.transport.connectionsPerHost = min(
            library.transport.connectionsPerHost,
            self.connectionsPerHost
        )
        proxy.maximumConnections = min(proxy.maximumConnections, self.places)
    }

    /// Finds that there is enough to serve.
    ///
    /// - Parameter limit: what there is, for the sentence.
    /// - Throws: ``CommandError`` with what to do.
    func check(limit: UInt64?) throws(CommandError) {
        guard !self.isEnough else { return }
        throw CommandError(
            .failed,
            "weir serve needs \(self.needed) descriptors (open files and connections), and the system allows"
                + " \(limit.map(String.init) ?? "fewer"); raise the limit, such as with ulimit -n 1024, and start it again."
        )
    }
}
