// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// A film that is encrypted on its server; its key is an age identity.
func film(at url: URL, identity: String, in library: MediaLibrary) throws -> Media {
    let identity = try AgeIdentity(parsing: identity)
    return library.media(MediaRequest(url: url, account: "me", decryption: .age(identity)))
}
