// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ConfigurationReader {
    /// The sources, in the order of their names.
    func sources(_ top: ConfigurationTable) throws(CommandError) -> [ConfiguredSource] {
        guard let table = try top.section("sources") else { return [] }
        var sources: [ConfiguredSource] = []
        for name in table.keys {
            guard ConfiguredSource.isName(name) else {
                throw table.failure(name, "is no name of a source; use letters, digits, - and _.")
            }
            guard !ConfiguredSource.isReserved(name) else {
                throw table.failure(
                    name,
                    "means something else already; give the source another name."
                )
            }
            guard let section = try table.section(name) else { continue }
            sources.append(try self.source(name, section))
        }
        return sources
    }

    private func source(
        _ name: String,
        _ table: ConfigurationTable
    ) throws(CommandError) -> ConfiguredSource {
        let kind = try self.kind(table)
        let account = try table.string("account", "a name in quotes")
        let cipher = try self.cipher(table)
        return ConfiguredSource(
            name: name,
            kind: kind,
            account: account,
            isImmutable: try table.boolean("immutable") ?? false,
            volatileQuery: Set(
                try table.strings("volatile-query", "a list of names, such as [\"sig\"]") ?? []
            ),
            cipher: cipher,
            location: self.text.location(of: table.path)
        )
    }

    private func kind(_ table: ConfigurationTable) throws(CommandError) -> SourceKind {
        let services = SourceKind.services.joined(separator: ", ")
        guard let service = try table.string("service", "one of \(services), in quotes") else {
            let path = table.path.joined(separator: ".")
            throw self.text.failure(
                at: table.path,
                "\(path) has no service; name one of \(services)."
            )
        }
        switch service {
        case "yandex-disk": return .yandexDisk(try self.yandexDisk(table))
        case "yandex-webdav": return .yandexWebDAV(try self.yandexWebDAV(table))
        case "webdav": return .webDAV(try self.webDAV(table))
        case "http": return .http(try self.http(table))
        case "files": return .files(path: try self.files(table))
        default:
            let nearest = SourceKind.services.nearest(to: service)
            let guess = nearest.map { "did you mean \"\($0)\"? " } ?? ""
            throw table.failure(
                "service",
                "is no service that Weir knows; \(guess)There are \(services)."
            )
        }
    }

    /// The error for a section that lacks a key.
    func missing(_ key: String, _ table: ConfigurationTable, example: String) -> CommandError {
        let path = table.path.joined(separator: ".")
        return self.text.failure(at: table.path, "\(path) has no \(key); add \(example).")
    }

    private static let tokenKeys = ["token", "token-env", "token-file"]
    private static let passwordKeys = ["password", "password-env", "password-file"]
    /// The keys of every section of a source.
    private static let commonKeys = ["service", "account", "immutable"] + cipherKeys

    func yandexDisk(_ table: ConfigurationTable) throws(CommandError) -> YandexDiskSettings {
        try table.allow(
            only: Self.commonKeys + ["root", "public-key", "api", "oauth"] + Self.tokenKeys
        )
        let access: YandexDiskSettings.Access
        if let token = try table.secret("token", self.environment) {
            try table.refuse(
                ["account", "public-key"],
                because: "contradicts the token; leave one of them out."
            )
            access = .token(token)
        } else if let link = try table.string(
            "public-key",
            "a public link in quotes, such as \"https://disk.yandex.ru/d/…\""
        ) {
            try table.refuseSeveral(of: ["account", "public-key"])
            access = .publicLink(link)
        } else {
            access = .account(try table.string("account", "a name in quotes"))
        }
        return YandexDiskSettings(
            access: access,
            root: try table.string("root", "a folder in quotes, such as \"/Music\"")
                .map(Self.folder),
            api: try table.base("api"),
            oauth: try table.base("oauth")
        )
    }

    func yandexWebDAV(_ table: ConfigurationTable) throws(CommandError) -> YandexWebDAVSettings {
        try table.allow(
            only: Self.commonKeys + ["user", "url", "oauth"] + Self.passwordKeys + Self.tokenKeys
        )
        let credential = try self.credential(table)
        if credential != nil {
            try table.refuse(
                ["account"],
                because: "contradicts the token or password; leave one of them out."
            )
        }
        let account = try table.string("account", "a name in quotes")
        return YandexWebDAVSettings(
            credential: credential ?? .account(account),
            url: try table.url("url"),
            oauth: try table.base("oauth")
        )
    }

    func webDAV(_ table: ConfigurationTable) throws(CommandError) -> WebDAVSettings {
        try table.allow(
            only: Self.commonKeys + ["url", "user", "auth", "volatile-query"] + Self.passwordKeys
                + Self.tokenKeys
        )
        guard let url = try table.url("url", example: "https://cloud.example/dav/") else {
            throw self.missing("url", table, example: "url = \"https://cloud.example/dav/\"")
        }
        let credential = try self.credential(table)
        return WebDAVSettings(
            url: url,
            credential: credential,
            authentication: try self.authentication(table, credential)
        )
    }

    func http(_ table: ConfigurationTable) throws(CommandError) -> HTTPSettings {
        try table.allow(
            only: Self.commonKeys + [
                "url", "url-command", "url-life", "header", "header-env", "volatile-query",
            ]
        )
        try table.refuseSeveral(of: ["url", "url-command"])
        let address: HTTPSettings.Address
        if let url = try table.url("url", example: "https://archive.example/music/") {
            try table.refuse(["url-life"], because: "has no sense without url-command.")
            address = .url(url)
        } else if let words = try self.command(table) {
            let life: TimeSpan? = try table.option(
                "url-life",
                "a time in quotes, such as \"10m\""
            )
            address = .command(words, life: life)
        } else {
            throw self.missing(
                "url",
                table,
                example: "url = \"https://archive.example/music/\", or a url-command"
            )
        }
        return HTTPSettings(
            address: address,
            headers: try table.headers("header"),
            environmentHeaders: try table.environmentHeaders("header-env")
        )
    }

    func files(_ table: ConfigurationTable) throws(CommandError) -> String {
        try table.allow(only: ["service", "immutable", "path"] + Self.cipherKeys)
        guard let path = try table.path("path", self.environment) else {
            throw self.missing("path", table, example: "path = \"~/Music\"")
        }
        return path
    }

    /// A token, or a user with a password; `nil` for neither.
    private func credential(
        _ table: ConfigurationTable
    ) throws(CommandError) -> ServiceCredential? {
        let reference = try table.secret("token", self.environment)
        if let reference {
            try table.refuse(
                ["user"] + Self.passwordKeys,
                because: "contradicts the token; leave one of them out."
            )
            return .token(reference)
        }
        let password = try table.secret("password", self.environment)
        let user = try table.string("user", "a name in quotes")
        switch (user, password) {
        case (nil, nil): return nil
        case (let user?, let password?): return .password(user: user, password)
        case (nil, _): throw self.missing("user", table, example: "user = \"…\"")
        case (_, nil):
            throw self.missing(
                "password",
                table,
                example: "password-env = \"VARIABLE\" or password-file = \"FILE\""
            )
        }
    }

    private func authentication(
        _ table: ConfigurationTable,
        _ credential: ServiceCredential?
    ) throws(CommandError) -> WebDAVSettings.Authentication? {
        let expected = "\"basic\", \"digest\" or \"bearer\""
        guard let text = try table.string("auth", expected) else { return nil }
        guard let authentication = WebDAVSettings.Authentication(rawValue: text) else {
            throw table.failure("auth", "must be \(expected).")
        }
        switch (authentication, credential) {
        case (.bearer, .token), (.basic, .password), (.digest, .password): return authentication
        case (.bearer, _):
            throw table.failure("auth", "is for a token; add token-env or token-file.")
        case (.basic, _), (.digest, _):
            throw table.failure(
                "auth",
                "is for a user and a password; add user and password-env or password-file."
            )
        }
    }

    private func command(_ table: ConfigurationTable) throws(CommandError) -> [String]? {
        let expected = "a list of words, such as [\"get-link\", \"{}\"]"
        let words = try table.strings("url-command", expected)
        if words?.isEmpty == true { throw table.failure("url-command", "must be \(expected).") }
        return words
    }

    /// A folder with a slash before it and none behind it.
    private static func folder(_ text: String) -> String {
        var text = text[...]
        while text.hasSuffix("/") { text.removeLast() }
        return text.hasPrefix("/") ? String(text) : "/\(text)"
    }
}
