// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// A film in AES-CTR; a licence server provides its key.
func film(at url: URL, licences: Licences, in library: MediaLibrary) throws -> Media {
    let vault = try Decryption.aes(
        AESFormat(.ctr, initialVector: .fromKey),
        key: .provider { try await licences.key(for: $0.url) }
    )
    return library.media(MediaRequest(url: url, account: "me", decryption: vault))
}

/// A service that has the key of each film.
protocol Licences: Sendable {
    /// The key of a film, and the film's initial vector.
    func key(for film: URL) async throws -> KeyMaterial
}
