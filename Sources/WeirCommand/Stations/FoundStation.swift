// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirSource

/// A station that the command line names, and the way to it.
struct FoundStation: Sendable {
    /// The name that the user has given it; `nil` where an address was given.
    var name: String?
    /// The way to it.
    var line: any StationTransport
    /// How its titles are coded where they are not UTF-8.
    var charset: ICYCharset?

    /// The station; nothing is asked before somebody listens.
    var station: Station {
        Station(
            name: self.name ?? self.line.display,
            transport: self.line,
            options: StationOptions(charset: self.charset)
        )
    }
}
