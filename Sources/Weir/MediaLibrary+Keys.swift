// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
import WeirClouds
package import WeirHTTP
package import WeirSource

// The keys of resources in the cache, known before a medium is made.
extension MediaLibrary {
    /// The key of the medium of a URL.
    ///
    /// - Parameters: as for the medium.
    /// - Returns: the key; ``MediaLibrary/resources()`` lists its identifier.
    package func key(
        of url: OriginURL,
        _ headers: HTTPHeaderList,
        _ account: String?,
        _ volatileQuery: Set<String>
    ) -> ResourceKey {
        self.key(of: url, sending: self.sent(headers), account, volatileQuery)
    }

    /// The key of the medium of a URL whose origin gets these headers and no others.
    func key(
        of url: OriginURL,
        sending sent: HTTPHeaderList,
        _ account: String?,
        _ volatileQuery: Set<String>
    ) -> ResourceKey {
        let volatile = self.configuration.volatileQuery.union(url.volatileQueryNames).union(
            volatileQuery
        )
        return ResourceKey(
            location: url.location(withoutQuery: volatile),
            scope: self.scopes[account, of: url, with: sent],
            display: url.display
        )
    }

    /// The key of the file at a path of a storage.
    package func key(of path: FolderPath, in storage: any MediaStorage, _ account: String?)
        -> ResourceKey
    {
        ResourceKey(
            location: storage.identity(of: path) ?? "file:\(path)",
            scope: self.scopes[account, storage.credentialScope],
            display: storage.displayName(of: path)
        )
    }

    /// All headers for an origin: the library's and the medium's; the medium's take precedence.
    func sent(_ headers: HTTPHeaderList) -> HTTPHeaderList {
        var sent = self.configuration.origin.headers
        sent.replace(with: headers)
        return sent
    }
}
