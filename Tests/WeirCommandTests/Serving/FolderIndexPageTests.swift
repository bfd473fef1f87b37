// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCommand

@Suite("The page of a folder")
struct FolderIndexPageTests {
    @Test("has a link for each entry, and no name contains markup or leads elsewhere")
    func links() {
        var page = FolderIndexPage()
        page.add("a & b <c>\n")
        for (name, kind): (String, FolderEntry.Kind) in [
            ("<b>\"x\".mp3", .file), ("javascript:alert(1)", .file), ("..%2f?#", .file),
            ("//host", .folder), ("é\u{7}", .folder),
        ] {
            page.add(FolderEntry(name: name, kind: kind))
        }
        let lines = page.html.split(separator: "\n").map(String.init)
        #expect(lines[4] == "a &amp; b &lt;c&gt;")
        let links = lines.compactMap { line in
            line.firstRange(of: "<a").map { String(line[$0.lowerBound...]) }
        }
        #expect(
            links == [
                "<a href=\"%3Cb%3E%22x%22.mp3\">&lt;b&gt;&quot;x&quot;.mp3</a>",
                "<a href=\"javascript%3Aalert%281%29\">javascript:alert(1)</a>",
                "<a href=\"..%252f%3F%23\">..%2f?#</a>",
                "<a href=\"%2F%2Fhost/\">//host/</a>",
                "<a href=\"%C3%A9%07/\">é?/</a>",
            ]
        )
    }
}
