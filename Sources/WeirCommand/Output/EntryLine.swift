// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// An entry of a folder as a line.
struct EntryLine: Encodable {
    var name: String
    var kind: String
    var path: String
    var bytes: Int64?
    var mediaType: String?
    var modified: String?

    init(_ entry: FolderEntry, path: FolderPath) {
        self.name = entry.name
        self.kind = entry.kind.rawValue
        self.path = path.description
        self.bytes = entry.length
        self.mediaType = entry.mediaType?.description
        self.modified = entry.modifiedSeconds.map(Self.time)
    }

    /// Size, time and name, for a person; what could move a terminal's cursor is shown as `?`.
    static func text(_ entry: FolderEntry) -> String {
        let size = entry.kind == .folder ? "-" : entry.length.map(ByteSize.format) ?? "?"
        let padding = String(repeating: " ", count: max(0, 10 - size.count))
        let time = entry.modifiedSeconds.map {
            String(self.time($0).prefix(16)).replacing("T", with: " ")
        }
        let name = String(
            String.UnicodeScalarView(
                entry.name.unicodeScalars.map {
                    $0.properties.generalCategory == .control ? "?" : $0
                }
            )
        )
        let end = entry.kind == .folder ? "/" : ""
        return
            "\(padding)\(size)  \(time ?? String(repeating: " ", count: 16))  \(name)\(end)"
    }

    private static func time(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
