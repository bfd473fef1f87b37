// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirClouds
package import WeirHTTP
package import WeirSource

// The names that the cache gives to resources, known before a medium is made.
extension MediaLibrary {
    /// The identifier of the medium of a URL, as ``MediaLibrary/resources()`` has it.
    ///
    /// - Parameters: as those of the medium.
    /// - Returns: 32 hexadecimal digits.
    package func identifier(
        of url: OriginURL,
        headers: HTTPHeaderList,
        account: String?,
        volatileQuery: Set<String>
    ) -> String {
        self.key(of: url, headers, account, volatileQuery).identifier
    }

    /// The identifier of the file at a path of a storage, likewise.
    package func identifier(
        of path: FolderPath,
        in storage: any MediaStorage,
        account: String?
    ) -> String {
        self.key(of: path, in: storage, account).identifier
    }

    func key(
        of url: OriginURL,
        _ headers: HTTPHeaderList,
        _ account: String?,
        _ volatileQuery: Set<String>
    ) -> ResourceKey {
        let volatile = self.configuration.volatileQuery.union(url.volatileQueryNames).union(
            volatileQuery
        )
        return ResourceKey(
            location: url.location(withoutQuery: volatile),
            account: account ?? url.accountScope(with: headers),
            display: url.display
        )
    }

    func key(of path: FolderPath, in storage: any MediaStorage, _ account: String?) -> ResourceKey {
        ResourceKey(
            location: storage.identity(of: path) ?? "file:\(path)",
            account: account ?? (storage.usesCredential ? "credential" : ""),
            display: storage.displayName(of: path)
        )
    }
}
