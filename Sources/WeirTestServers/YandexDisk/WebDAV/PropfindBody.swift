// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a PROPFIND asks for: RFC 4918 §9.1.
enum PropfindBody: Sendable, Equatable {
    case all
    case names
    case some([PropertyName])

    /// Reads a body; an empty one asks for all.
    init(_ body: [UInt8]) throws(Refusal) {
        guard !body.isEmpty else {
            self = .all
            return
        }
        guard let text = String(validating: body, as: UTF8.self) else {
            throw .violation("The body of a PROPFIND is not UTF-8.")
        }
        let root: PropfindElement
        do {
            root = try PropfindElement(document: text)
        } catch {
            throw .violation("The body of a PROPFIND is not XML: \(error.problem).")
        }
        guard root.name == .dav("propfind") else {
            throw .violation(
                "The body of a PROPFIND is a \(root.name.name), not a propfind of DAV:."
            )
        }
        switch root.children.map(\.name) {
        case [.dav("allprop")]: self = .all
        case [.dav("propname")]: self = .names
        case [.dav("prop")]: self = .some(root.children[0].children.map(\.name))
        default: throw .violation("A propfind has not just one of allprop, propname and prop.")
        }
    }
}
