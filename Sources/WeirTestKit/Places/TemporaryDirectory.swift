// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of its own for one test, removed with everything in it when the object goes.
public final class TemporaryDirectory: Sendable {
    /// The folder's absolute path, without a slash at the end.
    public let path: String

    /// Makes an empty folder, which nobody else may read, in the system's place for such things.
    public init() {
        let folder = "weir-\(UUID().uuidString.lowercased())"
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(folder)
        do {
            try FileManager.default.createDirectory(
                at: place,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            preconditionFailure("a test could not make its folder \(place.path): \(error)")
        }
        self.path = place.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// The path of something in the folder.
    public func path(of name: String) -> String {
        "\(self.path)/\(name)"
    }
}
