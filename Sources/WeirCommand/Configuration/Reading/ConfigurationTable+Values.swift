// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

extension ConfigurationTable {
    /// A secret: `KEY-env`, `KEY-file`, or, in a file that nobody else can read, `KEY` itself.
    func secret(
        _ key: String,
        _ surroundings: Surroundings
    ) throws(CommandError) -> SecretReference? {
        let (variable, file) = ("\(key)-env", "\(key)-file")
        try self.refuseSeveral(of: [key, variable, file])
        if let name = try self.string(variable, "the name of a variable in quotes") {
            return .environment(name)
        }
        if let path = try self.path(file, surroundings) { return .file(path) }
        guard let secret = try self.string(key) else { return nil }
        try self.requirePrivacy(key, or: "use \(variable) or \(file)")
        return .literal(secret)
    }

    /// Refuses a secret in a file that others can read.
    func requirePrivacy(_ key: String, or way: String) throws(CommandError) {
        guard !self.text.isPrivate else { return }
        throw self.failure(
            key,
            "is a secret in a file that other users can read; run chmod 600 \(self.text.file), or"
                + " \(way)."
        )
    }

    /// The path of a file or folder, absolute.
    func path(_ key: String, _ surroundings: Surroundings) throws(CommandError) -> String? {
        guard let path = try self.string(key, "a path in quotes, such as \"~/Music\"") else {
            return nil
        }
        return surroundings.absolutePath(path, from: self.text.folder)
    }

    /// An `http` or `https` URL; one with a password in it only where nobody else can read it.
    func url(
        _ key: String,
        example: String = "https://…"
    ) throws(CommandError) -> ConfiguredURL? {
        guard let text = try self.string(key, "a text in quotes, such as \"\(example)\"") else {
            return nil
        }
        // A host without a path is what people write for its root.
        let spellings = [text, "\(text)/"]
        guard let spelling = spellings.first(where: { (try? OriginURL($0)) != nil }),
            let url = try? OriginURL(spelling)
        else { throw self.failure(key, "must be an http or https URL, such as \"\(example)\".") }
        if url.userInfo != nil {
            try self.requirePrivacy(key, or: "leave user and password out of the URL")
        }
        return ConfiguredURL(text: spelling, url: url)
    }

    /// Where a service answers: a URL without a slash at its end, so that paths can be added.
    func base(_ key: String) throws(CommandError) -> String? {
        guard var text = try self.url(key)?.text[...] else { return nil }
        while text.hasSuffix("/") { text.removeLast() }
        return String(text)
    }

    /// Headers, `Name: value`; credentials only where nobody else can read them.
    func headers(_ key: String) throws(CommandError) -> HTTPHeaderList {
        var list = HTTPHeaderList()
        for text in try self.strings(key, "a list of texts, such as [\"Name: value\"]") ?? [] {
            let header: HTTPHeader
            do throws(SourceError) {
                header = try HTTPHeader(parsing: text)
            } catch {
                throw self.failure(key, "holds what is no header; write it as \"Name: value\".")
            }
            let secrets = ["authorization", "proxy-authorization", "cookie"]
            if secrets.contains(header.name.lowercased()) {
                try self.requirePrivacy(key, or: "use \(key)-env")
            }
            list.append(header)
        }
        return list
    }

    /// Headers whose values are in the environment, `Name=VARIABLE`.
    func environmentHeaders(_ key: String) throws(CommandError) -> [EnvironmentHeader] {
        let expected = "a list of texts, such as [\"Authorization=TOKEN\"]"
        var headers: [EnvironmentHeader] = []
        for text in try self.strings(key, expected) ?? [] {
            guard let header = EnvironmentHeader(text) else {
                throw self.failure(key, "must be \(expected).")
            }
            headers.append(header)
        }
        return headers
    }
}
