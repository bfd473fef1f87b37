// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a file is called once it is decrypted.
enum PlainName {
    private static let extensions: Set<String> = [
        "age", "aes", "enc", "crypt", "encrypted", "cipher",
    ]

    /// The name without an extension that says nothing but that the file is encrypted: `film.mp4.age` is `film.mp4`.
    static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            Self.extensions.contains(name[name.index(after: dot)...].lowercased())
        else { return name }
        return String(name[..<dot])
    }
}
