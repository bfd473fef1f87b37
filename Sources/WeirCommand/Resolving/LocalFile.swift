// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirClouds

/// A file or folder of this machine that is there, found by the text that a user wrote.
struct LocalFile {
    /// Where it is.
    let path: LocalPath
    /// Whether it is a folder; links are followed.
    let isFolder: Bool

    /// Looks for the file of a text.
    ///
    /// First as it is listed, where `\x0A` stands for a line feed, so that what is listed always opens; then as it is
    /// written.
    ///
    /// - Returns: `nil` if nothing is there.
    init?(_ text: String) {
        let paths = [LocalPath(bytes: FolderPath.bytes(ofName: text)), LocalPath(text)]
        for path in paths[..<(paths[0] == paths[1] ? 1 : 2)] {
            var status = stat()
            guard path.withCString({ stat($0, &status) }) == 0 else { continue }
            self.path = path
            self.isFolder = status.st_mode & S_IFMT == S_IFDIR
            return
        }
        return nil
    }
}
