// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirSource

extension ConfigurationTable {
    /// The sources, in the order of their names.
    func sources() throws(CommandError) -> [ConfiguredSource] {
        guard let table = try self.section("sources") else { return [] }
        var sources: [ConfiguredSource] = []
        for name in table.keys {
            guard ConfiguredSource.isName(name) else {
                throw table.failure(name, "is not a source name; use letters, digits, - and _.")
            }
            guard !ConfiguredSource.isReserved(name) else {
                throw table.failure(
                    name,
                    "has another meaning already; give the source another name."
                )
            }
            guard let section = try table.section(name) else { continue }
            sources.append(try section.source(name))
        }
        return sources
    }

    private func source(_ name: String) throws(CommandError) -> ConfiguredSource {
        let kind = try self.kind()
        let account = try self.string("account", "a name in quotes")
        let cipher = try self.cipher()
        let requestsPerSecond = try self.count("requests-per-second")
        if requestsPerSecond != nil, kind.host == nil {
            throw self.failure(
                "requests-per-second",
                "does not apply to a program or a folder of this computer; leave it out."
            )
        }
        return ConfiguredSource(
            name: name,
            kind: kind,
            account: account,
            isImmutable: try self.boolean("immutable") ?? false,
            volatileQuery: Set(
                try self.strings("volatile-query", "a list of names, such as [\"sig\"]") ?? []
            ),
            requestsPerSecond: requestsPerSecond,
            validator: try self.option("validator", ValidatorPolicy.quotedForms),
            cipher: cipher,
            location: self.location
        )
    }

    private func kind() throws(CommandError) -> SourceKind {
        let services = SourceKind.services.joined(separator: ", ")
        guard let service = try self.string("service", "one of \(services), in quotes") else {
            throw self.failure("has no service; name one of \(services).")
        }
        switch service {
        case "yandex-disk": return .yandexDisk(try self.yandexDisk())
        case "yandex-webdav": return try self.yandexWebDAV()
        case "webdav": return try self.webDAV()
        case "s3": return .s3(try self.s3(Self.commonKeys))
        case "http": return try self.http()
        case "files": return .files(path: try self.files())
        default:
            let nearest = SourceKind.services.nearest(to: service)
            let guess = nearest.map { "did you mean \"\($0)\"? " } ?? ""
            throw self.failure(
                "service",
                "is not a service that Weir knows; \(guess)There are \(services)."
            )
        }
    }

    /// The error for a section without a required key.
    private func missing(_ key: String, example: String) -> CommandError {
        self.failure("has no \(key); add \(example).")
    }

    private static let tokenKeys = ["token", "token-env", "token-file"]
    private static let passwordKeys = ["password", "password-env", "password-file"]
    /// The keys of every section of a source.
    private static let commonKeys =
        ["service", "account", "immutable", "requests-per-second"] + cipherKeys

    private func yandexDisk() throws(CommandError) -> YandexDiskSettings {
        try self.allow(
            only: Self.commonKeys + ["root", "public-key", "api", "oauth"] + Self.tokenKeys
        )
        let access: YandexDiskSettings.Access
        if let token = try self.secret("token") {
            try self.refuse(
                ["account", "public-key"],
                because: "contradicts the token; leave one of them out."
            )
            access = .token(token)
        } else if let link = try self.string(
            "public-key",
            "a public link in quotes, such as \"https://disk.yandex.ru/d/…\""
        ) {
            try self.refuseSeveral(of: ["account", "public-key"])
            access = .publicLink(link)
        } else {
            access = .account(try self.string("account", "a name in quotes"))
        }
        return YandexDiskSettings(
            access: access,
            root: try self.string("root", "a folder in quotes, such as \"/Music\"")
                .map(Self.folder),
            api: try self.base("api"),
            oauth: try self.base("oauth")
        )
    }

    private func yandexWebDAV() throws(CommandError) -> SourceKind {
        try self.allow(
            only: Self.commonKeys + ["user", "url", "oauth", "validator"] + Self.passwordKeys
                + Self.tokenKeys
        )
        let credential = try self.credential()
        if credential != nil {
            try self.refuse(
                ["account"],
                because: "contradicts the token or password; leave one of them out."
            )
        }
        let account = try self.string("account", "a name in quotes")
        return .yandexWebDAV(
            credential ?? .account(account),
            url: try self.url("url"),
            oauth: try self.base("oauth")
        )
    }

    private func webDAV() throws(CommandError) -> SourceKind {
        try self.allow(
            only: Self.commonKeys + ["url", "user", "auth", "volatile-query", "validator"]
                + Self.passwordKeys + Self.tokenKeys
        )
        guard let url = try self.url("url", example: "https://cloud.example/dav/") else {
            throw self.missing("url", example: "url = \"https://cloud.example/dav/\"")
        }
        let credential = try self.credential()
        return .webDAV(url, credential, try self.passwordScheme(credential))
    }

    /// The object store that a fleet of machines shares; `nil` without a section `tier`.
    func tier() throws(CommandError) -> ConfiguredTier? {
        guard let table = try self.section("tier") else { return nil }
        let bucket = try table.s3(["secret", "secret-env", "secret-file", "upload-rate"])
        guard let secret = try table.secret("secret") else {
            throw table.missing(
                "secret",
                example: "secret-file = \"FILE\", the same on all machines"
            )
        }
        return ConfiguredTier(
            bucket: bucket,
            secret: secret,
            uploadRate: try table.rate("upload-rate")
        )
    }

    /// Reads a bucket; `others` are further keys that the section may have.
    private func s3(_ others: [String]) throws(CommandError) -> S3Settings {
        let keyNames = ["access-key", "secret-key", "secret-key-env", "secret-key-file"]
        try self.allow(
            only: others + [
                "bucket", "region", "endpoint", "path-style", "root", "profile", "anonymous",
            ] + keyNames
        )
        guard let bucket = try self.string("bucket", "the name of a bucket in quotes") else {
            throw self.missing("bucket", example: "bucket = \"music\"")
        }
        let access: S3Settings.Access
        let secret = try self.secret("secret-key")
        if try self.boolean("anonymous") == true {
            try self.refuse(
                keyNames + ["profile"],
                because: "contradicts anonymous; leave one of them out."
            )
            access = .anonymous
        } else if let secret {
            try self.refuse(["profile"], because: "contradicts the key; leave one of them out.")
            guard let key = try self.string("access-key", "the key in quotes") else {
                throw self.missing("access-key", example: "access-key = \"AKIA…\"")
            }
            access = .key(key, secret)
        } else {
            try self.refuse(
                ["access-key"],
                because: "has no secret; add secret-key-env or secret-key-file."
            )
            access = .found(profile: try self.string("profile", "a name in quotes"))
        }
        return S3Settings(
            bucket: bucket,
            access: access,
            region: try self.string("region", "a region in quotes, such as \"eu-central-1\""),
            endpoint: try self.url("endpoint", example: "https://s3.example/"),
            isInPath: try self.boolean("path-style"),
            root: try self.string("root", "a folder in quotes, such as \"/Music\"")
                .map(Self.folder)
        )
    }

    private func http() throws(CommandError) -> SourceKind {
        try self.refuse(
            Self.tokenKeys + Self.passwordKeys + ["user", "auth"],
            because:
                "is not a key of this service; header-env = [\"Authorization=VARIABLE\"] sends it to a web server."
        )
        try self.allow(
            only: Self.commonKeys + [
                "url", "url-command", "url-life", "header", "header-env", "volatile-query",
                "validator",
            ]
        )
        try self.refuseSeveral(of: ["url", "url-command"])
        let address: SourceKind.Address
        if let url = try self.url("url", example: "https://archive.example/music/") {
            try self.refuse(
                ["url-life"],
                because: "needs a url-command; add one, or leave url-life out."
            )
            address = .url(url)
        } else if let words = try self.command() {
            let life: TimeSpan? = try self.option(
                "url-life",
                "a time in quotes, such as \"10m\""
            )
            address = .command(words, life: life)
        } else {
            throw self.missing(
                "url",
                example: "url = \"https://archive.example/music/\", or a url-command"
            )
        }
        let headers = try self.headers("header")
        return .http(address, headers, try self.environmentHeaders("header-env"))
    }

    private func files() throws(CommandError) -> String {
        try self.allow(
            only: ["service", "immutable", "path", "requests-per-second"] + Self.cipherKeys
        )
        guard let path = try self.path("path") else {
            throw self.missing("path", example: "path = \"~/Music\"")
        }
        return path
    }

    /// A token, or a user with a password; `nil` for neither.
    private func credential() throws(CommandError) -> ServiceCredential? {
        let reference = try self.secret("token")
        if let reference {
            try self.refuse(
                ["user"] + Self.passwordKeys,
                because: "contradicts the token; leave one of them out."
            )
            return .token(reference)
        }
        let password = try self.secret("password")
        let user = try self.string("user", "a name in quotes")
        switch (user, password) {
        case (nil, nil): return nil
        case (let user?, let password?): return .password(user: user, password)
        case (nil, _): throw self.missing("user", example: "user = \"…\"")
        case (_, nil):
            throw self.missing(
                "password",
                example: "password-env = \"VARIABLE\" or password-file = \"FILE\""
            )
        }
    }

    /// The scheme that sends a password; `any` lets the server choose.
    ///
    /// A token has only one scheme.
    private func passwordScheme(
        _ credential: ServiceCredential?
    ) throws(CommandError) -> PasswordAuthorizer.Scheme {
        let expected = "\"basic\", \"digest\" or \"bearer\""
        guard let text = try self.string("auth", expected) else { return .any }
        switch (text, credential) {
        case ("bearer", .token): return .any
        case ("basic", .password): return .basic
        case ("digest", .password): return .digest
        case ("bearer", _):
            throw self.failure("auth", "is for a token; add token-env or token-file.")
        case ("basic", _), ("digest", _):
            throw self.failure(
                "auth",
                "is for a user and a password; add user and password-env or password-file."
            )
        default: throw self.failure("auth", "must be \(expected).")
        }
    }

    private func command() throws(CommandError) -> [String]? {
        let expected = "a list of words, such as [\"get-link\", \"{}\"]"
        let words = try self.strings("url-command", expected)
        if words?.isEmpty == true { throw self.failure("url-command", "must be \(expected).") }
        return words
    }

    /// The folder's path, with a slash at its start and without one at its end.
    private static func folder(_ text: String) -> String {
        var text = text[...]
        while text.hasSuffix("/") { text.removeLast() }
        return text.hasPrefix("/") ? String(text) : "/\(text)"
    }
}
