// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// A web server's page for a folder: nginx's autoindex, Apache's mod_autoindex, Caddy, Python.
///
/// There is no standard for such pages, but all of them link to the entries of the folder:
///
/// ```
/// <a href="../">Parent Directory</a>  <a href="?C=M;O=A">Last modified</a>
/// <a href="Blue%20Album/">Blue Album/</a>
/// <a href="song.mp3">song.mp3</a>
/// ```
///
/// So every link to a path directly below the folder is an entry, and no other link is. Sizes and
/// times have a different form on every server, and are not read.
enum FolderPage {
    /// Whether a response is an HTML page.
    static func isPage(_ answer: ServiceAnswer) -> Bool {
        answer.status == 200
            && answer.headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    }

    /// Whether the title of a page says that it lists the folder of its address.
    ///
    /// nginx, Apache, lighttpd and Python write `<title>Index of /Blue Album/</title>` or
    /// `<title>Directory listing for /Blue Album/</title>`. A page with such a title and without
    /// entries shows an empty folder. A page with neither may be anything.
    static func isTitled(_ page: [UInt8], as url: OriginURL) -> Bool {
        guard let start = page.firstRange(of: "<title>".utf8)?.upperBound,
            let end = page[start...].firstRange(of: "</title>".utf8)?.lowerBound
        else { return false }
        let title = self.unescaped(page[start..<end])
        let folder = PercentCoding.decodedBytes(url.path[...])
        // The title may lack the final slash of the folder, as on Apache.
        guard folder.last == self.slash else { return false }
        return ["Index of ", "Directory listing for "].contains { words in
            [folder[...], folder.dropLast()].contains {
                title.elementsEqual(Array(words.utf8) + $0)
            }
        }
    }

    /// The entries that the links of a page name, in their order, each once; empty for a page that
    /// is not a list.
    ///
    /// `url` is the address of the page; its path is the folder's.
    static func entries(in page: [UInt8], at url: OriginURL) -> [FolderEntry] {
        let folder = PercentCoding.decodedBytes(url.path[...])
        guard folder.last == self.slash else { return [] }
        var found: [FolderEntry] = []
        // Compares bytes, since different names may be equal as strings.
        var names: Set<[UInt8]> = []
        for link in self.links(in: page) {
            guard let path = self.path(of: link, at: url, folder: folder),
                path.starts(with: folder), path.count > folder.count
            else { continue }
            let below = path[folder.count...]
            let isFolder = below.last == self.slash
            guard let name = FolderPath.name(ofBytes: isFolder ? below.dropLast() : below),
                names.insert(Array(name.utf8)).inserted
            else { continue }
            found.append(FolderEntry(name: name, kind: isFolder ? .folder : .file))
        }
        return found
    }

    private static let slash = UInt8(ascii: "/")

    /// The decoded path of a link.
    ///
    /// `nil` for a link to another site, and for a link with a query: it sorts the list, or does
    /// not lead to a file.
    private static func path(of link: [UInt8], at url: OriginURL, folder: [UInt8]) -> [UInt8]? {
        var rest = link[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        guard !rest.isEmpty, !rest.contains(UInt8(ascii: "?")) else { return nil }
        let site = Array("\(url.scheme.rawValue)://\(url.authority)/".utf8)
        if rest.starts(with: site) {
            rest = rest.dropFirst(site.count - 1)
        } else if rest.starts(with: [self.slash, self.slash]) {
            return nil
        } else if let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            !rest[..<colon].contains(self.slash)
        {
            // A scheme: RFC 3986 allows no colon in the first segment of a relative reference.
            return nil
        }
        if rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
        let decoded = PercentCoding.decodedBytes(Array(rest))
        return rest.first == self.slash ? decoded : folder + decoded
    }

    /// The values of `href` of all `<a …>`, with character references decoded.
    private static func links(in page: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var rest = page[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(open + 1)...]
            guard rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "a"),
                rest.dropFirst().first.map(self.isSpace) == true
            else { continue }
            rest = rest.dropFirst()
            if let link = self.reference(&rest) { found.append(self.unescaped(link)) }
        }
        return found
    }

    /// The value of `href` among the attributes of a tag; `rest` then begins behind them.
    private static func reference(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var link: ArraySlice<UInt8>?
        while true {
            rest = rest.drop { self.isSpace($0) || $0 == self.slash }
            guard let first = rest.first, first != UInt8(ascii: ">") else { return link }
            let name = rest.prefix {
                !self.isSpace($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">")
            }
            rest = rest[name.endIndex...].drop(while: self.isSpace)
            guard rest.first == UInt8(ascii: "=") else {
                // Skips a character that cannot begin a name.
                if name.isEmpty { rest = rest.dropFirst() }
                continue
            }
            rest = rest.dropFirst().drop(while: self.isSpace)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(quote) {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { !self.isSpace($0) && $0 != UInt8(ascii: ">") }
                rest = rest[value.endIndex...]
            }
            if link == nil, name.map({ $0 | 0x20 }).elementsEqual("href".utf8) { link = value }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Decodes the character references that servers write in addresses: numbers and five names.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(UInt8(ascii: "&")) else { return Array(text) }
        var out: [UInt8] = []
        var rest = text
        while let and = rest.firstIndex(of: UInt8(ascii: "&")) {
            out += rest[..<and]
            rest = rest[and...]
            let name = rest.dropFirst().prefix(8).prefix { $0 != UInt8(ascii: ";") }
            let isClosed = name.endIndex < rest.endIndex && rest[name.endIndex] == UInt8(ascii: ";")
            if isClosed, let character = self.character(String(decoding: name, as: UTF8.self)) {
                out += String(character).utf8
                rest = rest[(name.endIndex + 1)...]
            } else {
                out.append(UInt8(ascii: "&"))
                rest = rest.dropFirst()
            }
        }
        return out + rest
    }

    private static func character(_ name: String) -> Character? {
        let named: [String: Character] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
        ]
        if let character = named[name] { return character }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let number =
            digits.first.map { "xX".contains($0) } == true
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
