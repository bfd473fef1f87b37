// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCipher

/// Something that is served under a name: an origin, a folder, a source of the configuration.
protocol ServedSource: Sendable {
    /// The first piece of the path, as players see it.
    var name: String { get }
    /// What is served, for people.
    var display: String { get }
    /// How what it has is decrypted; `nil` where it is passed on as it is.
    var decryption: Decryption? { get }
    /// The path of its base, as players see it behind the name; with a leading slash.
    var basePath: String { get }
    /// The storage that names are looked up and listed in.
    ///
    /// - Throws: where there is none: one sentence that says what can be listed.
    func storage(in library: MediaLibrary) throws -> any MediaStorage
    /// The medium behind a path and a query, as players see them behind the name; `nil` if there is none.
    func media(for target: Substring, in library: MediaLibrary) -> Media?
    /// The path under which players see what lies in the storage.
    func target(of path: FolderPath) -> String
}
