// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

/// Where the page of `weir serve` is, and the secret that opens it.
///
/// The file `page` of the configuration folder, with the mode 0600, holds an address a line, that of the server that was
/// started last first. A server adds its line when it starts and removes it when it ends, but for the only one: the secret
/// is made once, so that a page that is open goes on when the program is started again. A server that was killed leaves its
/// line, so a reader asks one after the other.
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

    /// The most addresses that are kept: servers that were killed leave theirs.
    private static let most = 8

    /// The address of the server that was started last; `nil` if ``all(in:)`` has none.
    static func stored(in directory: String) -> PageAddress? { Self.all(in: directory).first }

    /// The addresses of the servers that run, and of those that were killed, the last one started first.
    ///
    /// Of servers that have all ended, the address of one. None if other users can read the file; an address is left out
    /// if its secret is shorter than one that is made here.
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

    /// Keeps it for `weir open` and others, before those of other servers.
    ///
    /// Addresses with another secret go: `--new-secret` has ended it.
    ///
    /// - Throws: `SourceError` if it cannot be written.
    func store(in directory: String) throws(SourceError) {
        try PrivateFile.makeDirectory(directory)
        try Self.change(in: directory) { known in
            let others = known.filter { $0.url != self.url && $0.secret == self.secret }
            return [self] + others
        }
    }

    /// Removes it, since its server ends; the only one stays for its secret.
    ///
    /// - Throws: `SourceError` if the others cannot be written.
    func withdraw(from directory: String) throws(SourceError) {
        try Self.change(in: directory) { known in
            let others = known.filter { $0 != self }
            return others.isEmpty ? known : others
        }
    }

    /// Puts other addresses in the place of the known ones; one server at a time does so.
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
