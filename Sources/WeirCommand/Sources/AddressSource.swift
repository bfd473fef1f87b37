// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCipher

/// A folder of a web server, from the configuration: paths are put behind its URL byte for byte.
struct AddressSource: ServedSource {
    let name: String
    let base: OriginURL
    let headers: HTTPHeaderList
    let account: String?
    let load: LoadPolicy
    let volatileQuery: Set<String>
    let decryption: Decryption?
    /// Everything before the path, user included.
    private let prefix: String

    init(
        name: String,
        base: OriginURL,
        text: String,
        headers: HTTPHeaderList,
        account: String?,
        load: LoadPolicy,
        volatileQuery: Set<String>,
        decryption: Decryption?
    ) {
        self.name = name
        self.base = base
        self.headers = headers
        self.account = account
        self.load = load
        self.volatileQuery = volatileQuery
        self.decryption = decryption
        self.prefix = ServedPath.site(of: text)
    }

    var display: String { self.base.display }
    var basePath: String { "/" }

    func storage(in library: MediaLibrary) throws -> any MediaStorage {
        throw CommandError(
            .usage,
            "\(self.name): is a plain web server, which cannot be listed; if it speaks WebDAV, write service ="
                + " \"webdav\" in the configuration."
        )
    }

    func media(for target: Substring, in library: MediaLibrary) -> Media? {
        let path = ServedPath.path(of: target)
        guard path.utf8.first == UInt8(ascii: "/"), !ServedPath.climbs(path) else { return nil }
        let folder = self.base.path.hasSuffix("/") ? self.base.path : "\(self.base.path)/"
        // Without a path the base itself is meant.
        let address =
            path == "/" && target == path
            ? "\(self.prefix)\(self.base.requestTarget)"
            : "\(self.prefix)\(folder)\(target[target.utf8.index(after: target.startIndex)...])"
        return (try? OriginURL(address)).map {
            library.media(
                $0,
                headers: self.headers,
                account: self.account,
                load: self.load,
                volatileQuery: self.volatileQuery,
                decryption: self.decryption
            )
        }
    }

    func target(of path: FolderPath) -> String { ServedPath.encoded(path) }
}
