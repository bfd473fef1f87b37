// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCipher

/// A storage under a name: a cloud, a WebDAV server, a folder of this machine.
struct StorageSource: ServedSource {
    let name: String
    let display: String
    let storage: any MediaStorage
    let account: String?
    let load: LoadPolicy
    let decryption: Decryption?
    /// The one file that is served, where no more was named; of a playlist also what lies beside and below it.
    var only: FolderPath?

    var basePath: String { self.only.map(ServedPath.encoded) ?? "/" }

    func storage(in library: MediaLibrary) throws -> any MediaStorage { self.storage }

    func media(for target: Substring, in library: MediaLibrary) -> Media? {
        // The one file that was named is the user's own word.
        let isOnly = self.only.map { target == ServedPath.encoded($0) } ?? false
        guard let path = isOnly ? self.only : ServedPath.decoded(target), !path.isFolder else {
            return nil
        }
        if let only, path != only, !ThingScope.isPlaylist("\(only)") { return nil }
        return library.media(
            path,
            in: self.storage,
            account: self.account,
            load: self.load,
            decryption: self.decryption
        )
    }

    func target(of path: FolderPath) -> String { ServedPath.encoded(path) }
}
