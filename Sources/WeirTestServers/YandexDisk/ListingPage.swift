// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The requested part of a folder's list, and its order.
struct ListingPage: Sendable {
    private static let orders: Set<String> = ["created", "modified", "name", "path", "size"]

    let limit: Int
    let offset: Int
    let sort: String

    init(_ arguments: Arguments) throws(ServerError) {
        self.limit = try arguments.number("limit", default: 20)
        self.offset = try arguments.number("offset", default: 0)
        self.sort = arguments["sort"] ?? ""
        let order = self.sort.hasPrefix("-") ? String(self.sort.dropFirst()) : self.sort
        guard order.isEmpty && self.sort.isEmpty || Self.orders.contains(order) else {
            throw .violation(
                "The argument sort is \(self.sort), which is not one of \(Self.orders.sorted())."
            )
        }
    }

    /// The entries of a folder that are on the page.
    ///
    /// - Parameters:
    ///   - paths: all entries, by name.
    ///   - tree: the disk.
    /// - Returns: the paths on the page, in its order.
    func part(of paths: [DiskPath], in tree: DiskTree) -> [DiskPath] {
        var paths = paths
        if let key = self.key {
            let ranks = paths.map { path -> (DiskPath, Double) in
                guard case .file(let file) = tree.node(path) else { return (path, 0) }
                return (path, key(file))
            }
            paths = ranks.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
        }
        if self.sort.hasPrefix("-") { paths.reverse() }
        return Array(paths.dropFirst(self.offset).prefix(self.limit))
    }

    /// The value to sort by; `nil` for the name.
    private var key: ((ServedFile) -> Double)? {
        switch self.sort.drop(while: { $0 == "-" }) {
        case "size": { Double($0.length) }
        case "modified": { $0.modified }
        case "created": { $0.created }
        default: nil
        }
    }
}
