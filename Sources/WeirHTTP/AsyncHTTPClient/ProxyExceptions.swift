// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The hosts of `NO_PROXY`: `example.org, .intern, 10.0.0.1:8080, [::1]`, or `*` for all.
///
/// A name stands for itself and for every name below it, with a dot before it or without. A port, if
/// one is given, must be the same, too.
struct ProxyExceptions: Hashable {
    private struct Entry: Hashable {
        let name: String
        let port: Int?
    }

    private let entries: [Entry]
    private let isEverything: Bool

    init(_ list: String) {
        let items = list.lowercased().split { $0 == "," || $0.isWhitespace }
        self.isEverything = items.contains("*")
        self.entries = items.compactMap(Self.entry)
    }

    private static func entry(_ item: Substring) -> Entry? {
        var name = item
        var port: Int?
        if name.first == "[", let close = name.firstIndex(of: "]") {
            let rest = name[name.index(after: close)...]
            port = rest.first == ":" ? Int(rest.dropFirst()) : nil
            name = name[name.index(after: name.startIndex)..<close]
        } else if let colon = name.lastIndex(of: ":"), colon == name.firstIndex(of: ":") {
            // One colon is a port, several are an IPv6 address.
            guard let number = Int(name[name.index(after: colon)...]) else { return nil }
            port = number
            name = name[..<colon]
        }
        if name.hasPrefix("*.") { name = name.dropFirst(2) }
        while name.first == "." { name.removeFirst() }
        return name.isEmpty ? nil : Entry(name: String(name), port: port)
    }

    func contains(host: String, port: Int) -> Bool {
        if self.isEverything { return true }
        return self.entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            return host == entry.name || host.hasSuffix(".\(entry.name)")
        }
    }
}
