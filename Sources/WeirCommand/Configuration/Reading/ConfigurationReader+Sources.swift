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
            place: self.text.place(of: table.path)
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
        case "files": return .files(try self.files(table))
        default:
            let nearest = Nearest.name(to: service, among: SourceKind.services)
            let guess = nearest.map { "did you mean \"\($0)\"? " } ?? ""
            throw table.failure(
                "service",
                "is no service that Weir knows; \(guess)There are \(services)."
            )
        }
    }

    /// The error for a section that lacks a key.
    func missing(
        _ key: String,
        _ table: ConfigurationTable,
        example: String
    ) -> CommandError {
        let path = table.path.joined(separator: ".")
        return self.text.failure(
            at: table.path,
            "\(path) has no \(key); add \(example)."
        )
    }
}
