// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

/// Where the page of `weir serve` is, and the secret that opens it.
///
/// It is in a file `page` of the configuration folder, with the mode 0600: the secret is made once, so that a page that is
/// open goes on when the program is started again; the address is that of the server that was started last.
struct PageAddress: Hashable, Sendable {
    /// Without the secret: `http://127.0.0.1:4747/page/`.
    let url: String
    let secret: ProxySecret

    /// What a browser is given.
    var text: String { "\(self.url)#\(self.secret.text)" }

    /// Puts an address together.
    init(url: String, secret: ProxySecret) {
        self.url = url
        self.secret = secret
    }

    /// Reads what ``text`` is.
    init?(_ text: String) {
        guard let mark = text.firstIndex(of: "#"),
            let secret = ProxySecret(String(text[text.index(after: mark)...]))
        else { return nil }
        var url = String(text[..<mark])
        if url.hasSuffix("/page") { url += "/" }
        // No sign of markup may be in it, for ``OpenCommand``.
        guard url.hasPrefix("http://"), url.hasSuffix("/"), (try? OriginURL(url)) != nil,
            url.utf8.allSatisfy({ !"\"'<>&?@".utf8.contains($0) })
        else { return nil }
        self.init(url: url, secret: secret)
    }

    /// The address of the server that was started last; `nil` if none was, if other users can read it, or if its secret is
    /// shorter than one that is made here.
    static func stored(in directory: String) -> PageAddress? {
        let path = "\(directory)/page"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0,
            let text = try? String(contentsOfFile: path, encoding: .utf8),
            let address = PageAddress(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            address.secret.text.utf8.count >= ProxySecret().text.utf8.count
        else { return nil }
        return address
    }

    /// Keeps it for `weir open` and others.
    ///
    /// - Throws: `SourceError` if it cannot be written.
    func store(in directory: String) throws(SourceError) {
        let path = "\(directory)/page"
        try PrivateFile.makeDirectory(directory)
        try PrivateFile.replace(
            path,
            with: Array("\(self.text)\n".utf8),
            through: "\(path).\(ProcessInfo.processInfo.processIdentifier)"
        )
    }
}
