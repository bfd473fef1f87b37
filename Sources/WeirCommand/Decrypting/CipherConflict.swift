// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What does not go together in what was said about decryption.
struct CipherConflict: Error, Hashable {
    /// What it is about.
    let key: CipherChoices.Key
    /// What is said of it, after its name and up to the full stop; it repeats no value.
    let what: String

    init(_ key: CipherChoices.Key, _ what: String) {
        self.key = key
        self.what = what
    }
}
