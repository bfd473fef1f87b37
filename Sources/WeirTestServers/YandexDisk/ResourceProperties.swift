// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The properties of a file or a folder, as XML.
struct ResourceProperties: Sendable {
    private static let order = [
        "resourcetype", "displayname", "creationdate", "getlastmodified", "getcontentlength",
        "getcontenttype", "getetag", "quota-used-bytes", "quota-available-bytes",
    ]

    private let values: [PropertyName: String]

    /// Collects the properties of the file or folder at a path.
    init(_ path: DiskPath, _ node: DiskTree.Node, used: Int64, available: Int64) {
        var values = ["displayname": path.names.isEmpty ? "disk" : path.name]
        switch node {
        case .file(let file):
            values["resourcetype"] = ""
            values["creationdate"] = CivilTime(file.created).zuluText
            values["getlastmodified"] = CivilTime(file.modified).headerText
            values["getcontentlength"] = String(file.length)
            values["getcontenttype"] = file.mimeType(named: path.name)
            // Without quotes, as the service sends it.
            values["getetag"] = file.md5
        case .folder:
            values["creationdate"] = CivilTime(ServedFile.usualTime).zuluText
            values["getlastmodified"] = CivilTime(ServedFile.usualTime).headerText
            if path.names.isEmpty {
                values["quota-used-bytes"] = String(used)
                values["quota-available-bytes"] = String(available)
            }
        }
        var named: [PropertyName: String] = [:]
        for (name, value) in values { named[.dav(name)] = value.escapedForXML }
        if case .folder = node { named[.dav("resourcetype")] = "<d:collection/>" }
        self.values = named
    }

    /// The blocks of an answer: the found properties, and the missing ones.
    func propstats(_ asked: PropfindBody) -> String {
        var (found, missing) = ("", "")
        switch asked {
        case .all:
            for name in self.names { found += name.element(self.values[name] ?? "") }
        case .names:
            for name in self.names { found += name.element() }
        case .some(let names):
            for name in names {
                if let value = self.values[name] {
                    found += name.element(value)
                } else {
                    missing += name.element()
                }
            }
        }
        return Self.propstat("200 OK", found) + Self.propstat("404 Not Found", missing)
    }

    private var names: [PropertyName] {
        Self.order.map { .dav($0) }.filter { self.values[$0] != nil }
    }

    private static func propstat(_ status: String, _ properties: String) -> String {
        guard !properties.isEmpty else { return "" }
        return "<d:propstat><d:status>HTTP/1.1 \(status)</d:status>"
            + "<d:prop>\(properties)</d:prop></d:propstat>"
    }
}

extension String {
    private static let xmlEntities = [
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;"),
    ]

    var escapedForXML: String {
        Self.xmlEntities.reduce(self) { $0.replacing($1.0, with: $1.1) }
    }

    var unescapedFromXML: String {
        Self.xmlEntities.reversed().reduce(self) { $0.replacing($1.1, with: $1.0) }
    }
}
