// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// WebDAV: the second way to the same files.
extension YandexDiskMachine {
    mutating func answerWebDAV(
        _ request: ServerRequest,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
        try self.checkSecrets(of: request)
        try self.checkToken(request, at: .webdav, now: now)
        guard request.query == nil else { throw .violation("WebDAV has no arguments.") }
        // RFC 3986 §3.3, without the plus: in a path it means a plus, but some servers decode it as
        // a space.
        let unescaped = try request.path.unescaped(
            of: "the path",
            allowing: "/!$&'()*,;=:@"
        )
        let path = try DiskPath(sent: unescaped)
        switch request.method {
        case "PROPFIND":
            let depth = request.value("depth")
            guard depth == "0" || depth == "1" else {
                throw .violation("Depth is \(depth ?? "missing"), not 0 or 1.")
            }
            let asked = try PropfindBody(request.body)
            try self.refuseByFault(at: .webdav)
            return try self.propfind(path, asked, withChildren: depth == "1")
        default:
            try request.checkMedia()
            return try self.file(path, request)
        }
    }

    private func propfind(
        _ path: DiskPath,
        _ asked: PropfindBody,
        withChildren: Bool
    ) throws(ServerError) -> ServerAnswer {
        guard let node = self.tree.node(path) else { throw .answer(.page(404)) }
        var responses = self.response(path, node, asked)
        if withChildren, case .folder = node {
            for child in self.tree.children(of: path) {
                guard let node = self.tree.node(child) else { continue }
                responses += self.response(child, node, asked)
            }
        }
        return .text(
            207,
            "application/xml; charset=\"utf-8\"",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                + "<d:multistatus xmlns:d=\"DAV:\">\(responses)</d:multistatus>"
        )
    }

    private func response(
        _ path: DiskPath,
        _ node: DiskTree.Node,
        _ asked: PropfindBody
    ) -> String {
        let used = self.tree.length
        let properties = ResourceProperties(
            path,
            node,
            used: used,
            available: max(0, self.account.totalSpace - used)
        )
        var href = path.description.escaped(keeping: "/")
        if case .folder = node, !path.names.isEmpty { href += "/" }
        return "<d:response><d:href>\(href)</d:href>\(properties.propstats(asked))</d:response>"
    }

    private mutating func file(
        _ path: DiskPath,
        _ request: ServerRequest
    ) throws(ServerError) -> ServerAnswer {
        guard let node = self.tree.node(path) else {
            try self.refuseByFault(at: .webdav)
            throw .answer(.page(404))
        }
        guard case .file(let file) = node else {
            throw .violation("The folder \(path) was requested with GET.")
        }
        try self.refuseByFault(at: .webdav)
        let media = MediaAnswer(
            file: file,
            mimeType: file.mimeType(named: path.name),
            entityTag: file.md5,
            partsAreMultipart: self.behaviour.sendsMultipart
        )
        return try self.spoiled(media, request, at: .webdav)
    }
}

/// The properties that a PROPFIND requests: RFC 4918 §9.1.
enum PropfindBody: Sendable, Equatable {
    case all
    case names
    case some([PropertyName])

    /// Reads a body; an empty one requests all properties.
    init(_ body: [UInt8]) throws(ServerError) {
        guard !body.isEmpty else {
            self = .all
            return
        }
        guard let text = String(validating: body, as: UTF8.self) else {
            throw .violation("The body of a PROPFIND is not UTF-8.")
        }
        let root = try PropfindElement(document: text)
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
