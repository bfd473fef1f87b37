// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP

/// A source with `service = "http"`: a folder of a web server, or a program that knows URLs.
struct HTTPSettings: Hashable, Sendable {
    /// Where it is.
    enum Address: Hashable, Sendable {
        /// A folder or a resource.
        case url(ConfiguredURL)
        /// A program that prints a URL; `{}` in a word stands for the PATH. It holds `life`, `nil` for
        /// as long as it works.
        case command([String], life: TimeSpan?)
    }

    var address: Address
    /// Sent with every request.
    var headers: HTTPHeaderList
    /// Sent with every request, too.
    var environmentHeaders: [EnvironmentHeader]

    /// All headers, with the values of the environment.
    ///
    /// - Throws: ``CommandError`` with `usage` that names a variable.
    func headerList(_ surroundings: Surroundings) throws(CommandError) -> HTTPHeaderList {
        var list = self.headers
        for header in self.environmentHeaders { list.append(try header.header(surroundings)) }
        return list
    }
}
