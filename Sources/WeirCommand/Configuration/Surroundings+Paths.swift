// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Surroundings {
    /// A path as it was written in a file: `~` is the user's home, and what is relative is so to the
    /// file's folder.
    func absolutePath(_ path: String, from folder: String) -> String {
        if path == "~" || path.hasPrefix("~/") {
            return "\(self["HOME"] ?? NSHomeDirectory())\(path.dropFirst())"
        }
        return path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }
}
