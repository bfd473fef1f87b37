// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A film that lies encrypted on a server; its key is an age identity.
func film(at url: String, identity: String, in library: MediaLibrary) throws -> Media {
    let key = try AgeIdentity(parsing: identity)
    let vault = Decryption.age(.identities([key]))
    return try library.media(url, account: "me", decryption: vault)
}
