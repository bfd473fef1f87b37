// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirHTTP

/// A radio station that the user has given a name.
struct StationSettings: Hashable, Sendable {
    /// The name: letters, digits, `-` and `_`, as sources have.
    var name: String
    /// Where it is.
    var address: ConfiguredURL
    /// What it is told; may hold credentials.
    var headers: HTTPHeaderList
    /// The same, with values from the environment.
    var environmentHeaders: [EnvironmentHeader]
    /// How its titles are coded where they are not UTF-8.
    var charset: ICYCharset?

    /// All headers, with the values of the environment.
    ///
    /// - Throws: ``CommandError`` with `usage` that names a variable.
    func headerList(_ surroundings: Surroundings) throws(CommandError) -> HTTPHeaderList {
        var list = self.headers
        for header in self.environmentHeaders { list.append(try header.header(surroundings)) }
        return list
    }

    /// The error for a command that wants something with an end.
    var isNoFile: CommandError {
        CommandError(
            .usage,
            "'\(self.name)' is a radio station, which is no file and has no end: weir play \(self.name) plays it, and with"
                + " --record FOLDER records it."
        )
    }
}
