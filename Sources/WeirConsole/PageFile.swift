// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import CWeirPage
import WeirProxy
import WeirSource

/// A file of the page, which is a part of the program.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    /// The answer to a request for the file.
    var answer: PageAnswer { PageAnswer(type: self.type, self.bytes) }

    /// The files by their paths after `/page`.
    static let all: [String: PageFile] = {
        var files: [String: PageFile] = [:]
        while let file = weir_page_file_at(files.count)?.pointee {
            let name = String(cString: file.name)
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
            files[name == "index.html" ? "/" : "/\(name)"] = PageFile(
                type: Self.type(of: name),
                bytes: Array(bytes)
            )
        }
        return files
    }()

    private static func type(of name: String) -> String {
        if name.hasSuffix(".html") {
            "text/html; charset=utf-8"
        } else if name.hasSuffix(".css") {
            "text/css; charset=utf-8"
        } else {
            "text/javascript; charset=utf-8"
        }
    }
}
