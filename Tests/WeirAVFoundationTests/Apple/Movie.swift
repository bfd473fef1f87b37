// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource
import WeirTestKit

/// A real MP4 file from the fixtures, as a scripted origin.
enum Movie: String {
    case indexBehind = "index-behind.mp4"
    case indexInFront = "index-in-front.mp4"
    /// Larger than the part of the start that the loader keeps.
    case large = "large-index-behind.mp4"

    /// The file's bytes.
    func bytes() throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Fixtures/\(self.rawValue)")))
    }

    /// An origin that serves the file under a name that does not reveal its type.
    func origin(chunkSize: Int = 4096) throws -> ScriptedSource {
        var resource = ScriptedResource(bytes: try self.bytes())
        resource.validator = .entityTag("\"movie\"")
        resource.name = "film.bin"
        return ScriptedSource(resource, chunkSize: chunkSize)
    }
}
