// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// A song whose server needs a token in a header; the token may change later.
func song(at url: URL, token: String, in library: MediaLibrary) -> Media {
    let me = library.account("me", headers: ["Authorization": "Bearer \(token)"])
    return me.media(url)
}

/// Removes everything that the library holds for the account.
func logOut(of library: MediaLibrary) async throws {
    try await library.account("me").removeAll()
}
