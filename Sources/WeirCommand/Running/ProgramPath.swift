// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds programs as a shell does.
enum ProgramPath {
    /// The path of a program: the name itself if there is a slash in it, else the first of its name along PATH.
    static func find(
        _ name: String,
        along path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) -> String? {
        guard !name.isEmpty else { return nil }
        guard !name.contains("/") else {
            return access(name, X_OK) == 0 ? name : nil
        }
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
