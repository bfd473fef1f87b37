// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// A folder's listing as an HTML page of links, for browsers, wget and rclone.
struct FolderIndexPage {
    private var lines = ""

    /// Adds a line of text.
    mutating func add(_ text: String) { self.lines += "\(Self.escaped(text))\n" }

    /// Adds an entry with a link to its name, relative to the page's URL.
    mutating func add(_ entry: FolderEntry) {
        let address = PercentCoding.component(FolderPath.bytes(ofName: entry.name))
        let end = entry.kind == .folder ? "/" : ""
        self.lines += "\(Self.escaped(entry.columns))  <a href=\"\(address)\(end)\">"
        self.lines += "\(Self.escaped(entry.printableName))\(end)</a>\n"
    }

    var html: String {
        """
        <!DOCTYPE html>
        <meta charset="utf-8">
        <title>Weir</title>
        <pre>
        \(self.lines)</pre>

        """
    }

    /// A text escaped for HTML, also in attributes.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
