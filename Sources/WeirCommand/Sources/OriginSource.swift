// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCipher

/// An origin that the command line names by its URL.
struct OriginSource: ServedSource {
    let origin: ServedOrigin
    let headers: HTTPHeaderList
    let account: String?
    let decryption: Decryption?

    var name: String { self.origin.name }
    var display: String { self.origin.base.display }
    var basePath: String { self.origin.base.path }

    /// The URL as a folder of a WebDAV server, since web servers have no other way to list.
    func storage(in library: MediaLibrary) throws -> any MediaStorage {
        library.storage(
            of: WebDAV(
                name: nil,
                base: self.origin.base,
                authorizer: self.headers["Authorization"].map { HeaderAuthorizer(value: $0) },
                client: library.serviceClient
            )
        )
    }

    func media(for target: Substring, in library: MediaLibrary) -> Media? {
        self.origin.url(for: target).map {
            library.media(
                $0,
                headers: self.headers,
                account: self.account,
                decryption: self.decryption
            )
        }
    }

    func target(of path: FolderPath) -> String {
        let base = self.basePath.hasSuffix("/") ? self.basePath : "\(self.basePath)/"
        return "\(base)\(ServedPath.encoded(path).dropFirst())"
    }
}
