// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A service that one can log in to.
enum ServiceName {
    static let known = ["yandex"]

    /// - Throws: `ValidationError` for any other name, with the nearest.
    static func check(_ name: String) throws {
        guard !self.known.contains(name) else { return }
        let nearest = Nearest.name(to: name, among: self.known).map { " Did you mean \($0)?" } ?? ""
        throw ValidationError(
            "There is no log-in for '\(name)'; weir knows: \(self.known.joined(separator: ", ")).\(nearest)"
        )
    }
}
