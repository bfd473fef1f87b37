// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

/// The URL of the page of `weir serve`, and the secret that opens it.
///
/// The file `page` in the configuration folder, with mode 0600, contains one address a line; the
/// address of the server that started last is first. A server adds its line when it starts, and
/// removes it when it ends, unless it is the only line. So the secret stays the same, and an open
/// page continues to work after a restart. A killed server leaves its line, so readers try one
/// address after the other.
struct PageAddress: Hashable, Sendable {
    /// The URL without the secret: `http://127.0.0.1:4747/page/`.
    let url: String
    let secret: ProxySecret

    /// The URL with the secret, for a browser.
    var text: String { "\(self.url)#\(self.secret.text)" }

    /// Makes an address from its parts.
    init(url: String, secret: ProxySecret) {
        self.url = url
        self.secret = secret
    }

    /// Parses the form of ``text``.
    init?(_ text: String) {
        guard let mark = text.firstIndex(of: "#"),
            let secret = ProxySecret(String(text[text.index(after: mark)...]))
        else { return nil }
        var url = String(text[..<mark])
        if url.hasSuffix("/page") { url += "/" }
        // The URL must not contain markup characters, since ``OpenCommand`` writes it into a page.
        guard url.hasPrefix("http://"), url.hasSuffix("/"), (try? OriginURL(url)) != nil,
            url.utf8.allSatisfy({ !"\"'<>&?@".utf8.contains($0) })
        else { return nil }
        self.init(url: url, secret: secret)
    }

    /// The largest number of stored addresses; killed servers leave theirs.
    private static let most = 8

    /// The address of the last started server; `nil` if ``all(in:)`` is empty.
    static func stored(in directory: String) -> PageAddress? { Self.all(in: directory).first }

    /// The addresses of running and of killed servers, the last started first.
    ///
    /// If all servers have ended, the address of one remains. The list is empty if other users can
    /// read the file. An address whose secret is too short is left out.
    static func all(in directory: String) -> [PageAddress] {
        let path = "\(directory)/page"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0,
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { return [] }
        let least = ProxySecret().text.utf8.count
        return text.split(whereSeparator: \.isNewline).prefix(Self.most)
            .compactMap { PageAddress($0.trimmingCharacters(in: .whitespaces)) }
            .filter { $0.secret.text.utf8.count >= least }
    }

    /// Stores the address before those of other servers, for `weir open` and other commands.
    ///
    /// Removes addresses with another secret, which `--new-secret` has made invalid.
    ///
    /// - Throws: `SourceError` if the file cannot be written.
    func store(in directory: String) throws(SourceError) {
        try PrivateFile.makeDirectory(directory)
        try Self.change(in: directory) { known in
            let others = known.filter { $0.url != self.url && $0.secret == self.secret }
            return [self] + others
        }
    }

    /// Removes the address of an ending server; the only address stays, for its secret.
    ///
    /// - Throws: `SourceError` if the file cannot be written.
    func withdraw(from directory: String) throws(SourceError) {
        try Self.change(in: directory) { known in
            let others = known.filter { $0 != self }
            return others.isEmpty ? known : others
        }
    }

    /// Replaces the stored addresses, under a lock between processes.
    private static func change(
        in directory: String,
        _ change: ([PageAddress]) -> [PageAddress]
    ) throws(SourceError) {
        let path = "\(directory)/page"
        let lock = try FileLock("\(path).lock", waiting: true)
        defer { lock?.release() }
        let known = Self.all(in: directory)
        let addresses = change(known).prefix(Self.most)
        guard Array(addresses) != known else { return }
        try PrivateFile.replace(
            path,
            with: Array(addresses.map { "\($0.text)\n" }.joined().utf8),
            through: "\(path).\(ProcessInfo.processInfo.processIdentifier)"
        )
    }
}
