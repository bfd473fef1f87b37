// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
import WeirClouds
package import WeirHTTP
package import WeirSource

// The names that the cache gives to resources, known before a medium is made.
extension MediaLibrary {
    /// The key of the medium of a URL.
    ///
    /// - Parameters: as those of the medium.
    /// - Returns: the key; ``MediaLibrary/resources()`` has its identifier.
    package func key(
        of url: OriginURL,
        _ headers: HTTPHeaderList,
        _ account: String?,
        _ volatileQuery: Set<String>
    ) -> ResourceKey {
        self.key(of: url, sending: self.sent(headers), account, volatileQuery)
    }

    /// The same, of an address whose origin is sent these headers and no others.
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

    /// The key of the file at a path of a storage, likewise.
    package func key(of path: FolderPath, in storage: any MediaStorage, _ account: String?)
        -> ResourceKey
    {
        ResourceKey(
            location: storage.identity(of: path) ?? "file:\(path)",
            scope: self.scopes[account, storage.credentialScope],
            display: storage.displayName(of: path)
        )
    }

    /// What the origin of an address is told: the headers of the medium, beside those of the library.
    func sent(_ headers: HTTPHeaderList) -> HTTPHeaderList {
        var sent = self.configuration.origin.headers
        sent.replace(with: headers)
        return sent
    }
}
