// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirLive

/// A radio station under a name: however many players read it, it has one connection.
struct ServedStation: Sendable {
    /// The path of its sound, behind the name.
    static let target = "/stream"

    /// The first piece of the path, as players see it.
    let name: String
    /// Where it is, for people.
    let display: String
    /// What is listened to; to be closed.
    let station: Station
    private let source: StationSource

    /// A station that is served.
    ///
    /// - Parameters:
    ///   - found: where it is.
    ///   - name: how it is served if it has no name of its own.
    init(_ found: FoundStation, name: String) {
        self.name = found.name ?? name
        self.display = found.line.display
        self.station = found.station
        self.source = StationSource(self.station)
    }

    /// The sound, if that is what a path and a query name.
    func source(for target: Substring) -> StationSource? {
        target.prefix { $0 != "?" } == Self.target ? self.source : nil
    }
}
