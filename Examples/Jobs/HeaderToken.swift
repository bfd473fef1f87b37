// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// A song whose server wants a token in a header.
func song(at url: URL, token: String, in library: MediaLibrary) -> Media {
    library.media(url, headers: ["Authorization": "Bearer \(token)"], account: "me")
}
