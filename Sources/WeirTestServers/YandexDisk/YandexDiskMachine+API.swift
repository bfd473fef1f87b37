// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The REST API.
extension YandexDiskMachine {
    private static let stating: Set<String> = [
        "fields", "limit", "offset", "path", "preview_crop", "preview_size", "public_key", "sort",
    ]

    mutating func answerAPI(
        _ request: ServerRequest,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
        try request.checkAccepts(["application/json", "application/*"])
        try self.checkSecrets(of: request)
        let isPublic = request.path.hasPrefix("/v1/disk/public/")
        if !isPublic || request.value("authorization") != nil {
            try self.checkToken(request, at: .api, now: now)
        }
        var answer =
            switch request.path {
            case "/v1/disk": try self.disk(request)
            case "/v1/disk/resources", "/v1/disk/public/resources":
                try self.resource(request, isPublic, now: now)
            case "/v1/disk/resources/download", "/v1/disk/public/resources/download":
                try self.download(request, isPublic, now: now)
            default: throw .violation("There is nothing at \(request.path).")
            }
        self.spoilDocument(&answer)
        return answer
    }

    private mutating func disk(_ request: ServerRequest) throws(ServerError) -> ServerAnswer {
        let arguments = try Arguments(query: request.query, known: ["fields"])
        let selection = try FieldSelection(arguments["fields"])
        try self.refuseByFault(at: .api)
        let user = JSONValue.object([
            ("login", .string(self.account.login)), ("uid", .string(LinkTable.uid)),
            ("display_name", .string(self.account.login)), ("country", "ru"),
        ])
        let (total, used) = (self.account.totalSpace, self.tree.length)
        let document = selection.object([
            ("max_file_size", { _ in 1_073_741_824 }),
            ("total_space", { _ in .number(total) }),
            ("trash_size", { _ in 0 }),
            ("is_paid", { _ in false }),
            ("used_space", { _ in .number(used) }),
            ("user", { _ in user }),
        ])
        return .json(200, document)
    }

    private mutating func resource(
        _ request: ServerRequest,
        _ isPublic: Bool,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
        let arguments = try Arguments(query: request.query, known: Self.stating)
        let selection = try FieldSelection(arguments["fields"])
        let page = try ListingPage(arguments)
        let (path, publication) = try self.location(arguments, isPublic)
        try self.refuseByFault(at: .api)
        let node = try self.changedNode(at: path)
        let hasLinks = self.behaviour.take(.noReadyLink, at: .api) == nil
        var links = self.links
        let end = self.linkEnd(now)
        let base = self.base(of: .link)
        let document = ResourceDocument(
            tree: self.tree,
            account: self.account,
            publication: publication
        ) { path, file in
            hasLinks ? base + links.issue(path, file, until: end, isPublic: isPublic) : nil
        }
        let json = document.json(path, node, page, selection)
        self.links = links
        self.links.forgetExpired(now: now)
        return .json(200, json)
    }

    private mutating func download(
        _ request: ServerRequest,
        _ isPublic: Bool,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
        let arguments = try Arguments(
            query: request.query,
            known: isPublic ? ["fields", "path", "public_key"] : ["fields", "path"]
        )
        let selection = try FieldSelection(arguments["fields"])
        let (path, _) = try self.location(arguments, isPublic)
        try self.refuseByFault(at: .api)
        guard case .file(let file) = try self.changedNode(at: path) else {
            throw .violation("A link to the folder \(path) was requested; only files are served.")
        }
        self.links.forgetExpired(now: now)
        let target = self.links.issue(
            path,
            file,
            until: self.linkEnd(now),
            isPublic: isPublic
        )
        let isOdd = self.behaviour.take(.linkOfOtherScheme, at: .api) != nil
        let href = isOdd ? "file:///disk/\(path.name)" : self.base(of: .link) + target
        let document = selection.object([
            ("href", { _ in .string(href) }),
            ("method", { _ in "GET" }),
            ("templated", { _ in false }),
        ])
        return .json(200, document)
    }

    /// The end of a new link, in whole seconds.
    private func linkEnd(_ now: Double) -> Double { (now + self.behaviour.linkLife).rounded(.down) }

    /// The path on the disk of the requested file or folder.
    private func location(
        _ arguments: Arguments,
        _ isPublic: Bool
    ) throws(ServerError) -> (DiskPath, ResourceDocument.Publication?) {
        guard isPublic else {
            guard arguments["public_key"] == nil else {
                throw .violation("The argument public_key belongs to public resources.")
            }
            let path = try arguments.required("path")
            guard path.hasPrefix("disk:/") else {
                throw .violation("The path \(path) does not begin with disk:/.")
            }
            return (try DiskPath(sent: path.dropFirst(5)), nil)
        }
        let key = try arguments.required("public_key")
        let below = try DiskPath(sent: arguments["path"] ?? "/")
        guard let published = self.account.published[key] else { throw .answer(.diskNotFound) }
        let root = DiskPath(published)
        return (root.appending(below), (key, root))
    }

    /// The file or folder at a path, after the fault that changes it.
    private mutating func changedNode(at path: DiskPath) throws(ServerError) -> DiskTree.Node {
        guard let node = self.tree.node(path) else { throw .answer(.diskNotFound) }
        guard case .file(let file) = node, self.behaviour.take(.fileChanged, at: .api) != nil
        else {
            return node
        }
        self.tree.set(path, file.changed)
        return self.tree.node(path) ?? node
    }

    private mutating func spoilDocument(_ answer: inout ServerAnswer) {
        if self.behaviour.take(.jsonMalformed, at: .api) != nil {
            answer.body = ServerBody("{\"name\": <not json>")
        } else if self.behaviour.take(.jsonTruncated, at: .api) != nil {
            let bytes = answer.body.bytes
            answer.body = ServerBody([.bytes(Array(bytes.prefix(bytes.count / 2)))])
        }
    }
}

extension ServerAnswer {
    /// The answer if there is nothing at a path.
    static let diskNotFound = ServerAnswer.apiError(
        404,
        "DiskNotFoundError",
        "Resource not found."
    )

    /// An error of the REST API.
    ///
    /// - Parameters:
    ///   - status: the status.
    ///   - error: the name of the error, by which clients tell errors apart.
    ///   - description: the meaning of the error.
    /// - Returns: a JSON document with the status.
    static func apiError(_ status: Int, _ error: String, _ description: String) -> ServerAnswer {
        .json(
            status,
            .object([
                ("message", .string(description)), ("description", .string(description)),
                ("error", .string(error)),
            ])
        )
    }
}
