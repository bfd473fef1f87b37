// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A song whose server wants a token in a header.
func song(at url: String, token: String, in library: MediaLibrary) throws -> Media {
    try library.media(url, headers: ["Authorization: Bearer \(token)"], account: "me")
}
