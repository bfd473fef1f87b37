// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirCipher

/// Makes what the command line and the configuration name.
struct SourceMaker {
    /// What a command says of every source that it names by a URL.
    struct Given: Sendable {
        var headers = HTTPHeaderList()
        var account: String?
        /// Decrypts all that is named, whatever the configuration says of it.
        var decryption: Decryption?
        /// Reads the keys of the configuration; `nil` where nothing is decrypted, as for a list.
        var keys: KeyReader?

        /// One for what is sent as it lies; decrypting keeps a processor busy, so that more of them are worth having.
        func eventLoopCount(for configuration: Configuration) -> Int {
            let decrypts =
                self.decryption != nil || configuration.sources.contains { $0.cipher != nil }
            return decrypts ? min(4, ProcessInfo.processInfo.activeProcessorCount) : 1
        }
    }

    let library: MediaLibrary
    let configuration: Configuration
    let surroundings: Surroundings
    let given: Given

    /// What a thing on the command line means.
    ///
    /// - Parameters:
    ///   - text: as it was written.
    ///   - name: how it is served if it has no name of its own.
    /// - Returns: where it is.
    /// - Throws: ``CommandError``, `SourceError`.
    func thing(_ text: String, name: String = "origin") throws -> Thing {
        switch try self.name(text) {
        case .url(let url):
            let origin = try ServedOrigin(name: name, url: url)
            let source = OriginSource(
                origin: origin,
                headers: self.given.headers,
                account: self.given.account,
                decryption: self.given.decryption
            )
            // The query is the origin's own, and put on there.
            return Thing(source: source, target: origin.base.path, path: .root)
        case .path(let path):
            return try self.file(path, name: name)
        case .source(let name, let path):
            let source = try self.source(try self.configuration.source(named: name))
            guard source is AddressSource else {
                let path = try FolderPath(path)
                return Thing(source: source, target: source.target(of: path), path: path)
            }
            // What no URL can carry, such as a space, is encoded; nothing else.
            let target = try OriginURL("http://localhost\(path)").requestTarget
            return Thing(source: source, target: target, path: .root)
        }
    }

    /// What a thing names; a station is said to be one.
    private func name(_ text: String) throws(CommandError) -> ThingName {
        do {
            return try ThingName(
                text,
                sources: self.configuration.sources.map(\.name),
                file: self.configuration.file,
                home: self.surroundings["HOME"],
                exists: { LocalFile($0) != nil }
            )
        } catch {
            let book = try? StationBookFile(self.surroundings).read()
            throw book?[text].map(\.isNoFile) ?? error
        }
    }

    private func file(_ text: String, name: String) throws -> Thing {
        guard let file = LocalFile(URL(fileURLWithPath: text).standardizedFileURL.path) else {
            throw CommandError(.notFound, "There is no file or folder \(text); check its name.")
        }
        let only = file.isFolder ? nil : try FolderPath(bytes: file.path.lastName)
        let source = StorageSource(
            name: name,
            display: file.path.text,
            storage: FileStorage(folder: file.isFolder ? file.path : file.path.folder),
            account: self.given.account,
            load: self.library.options.load,
            decryption: self.given.decryption,
            only: only
        )
        return Thing(source: source, target: source.basePath, path: only ?? .root, given: text)
    }

    /// A source of the configuration.
    ///
    /// - Throws: ``CommandError`` where a secret or an account is missing, `SourceError`.
    func source(_ source: ConfiguredSource) throws -> any ServedSource {
        var load = self.library.options.load
        load.isImmutable = load.isImmutable || source.isImmutable
        // What the user has written down is wanted here, whatever its server says of browsers.
        load.storesForbidden = true
        let account = self.given.account ?? source.account
        if !self.given.headers.isEmpty, !source.kind.takesHeaders {
            throw CommandError(
                .usage,
                "--header is for URLs, and \(source.name) is a source with a credential of its own; write that into"
                    + " \(self.configuration.file)."
            )
        }
        switch source.kind {
        case .http(let settings):
            var headers = try settings.headerList(self.surroundings)
            for header in self.given.headers.headers { headers.append(header) }
            switch settings.address {
            case .url(let address):
                return AddressSource(
                    name: source.name,
                    base: address.url,
                    text: address.text,
                    headers: headers,
                    account: account,
                    load: load,
                    volatileQuery: source.volatileQuery,
                    decryption: try self.decryption(source)
                )
            case .command(let words, let life):
                let command = LinkCommand(
                    words: words,
                    lifetime: life?.duration,
                    headers: headers,
                    source: source.name
                )
                let service = LinkService(name: source.name) { try await command.link(to: $0) }
                return try self.stored(
                    source,
                    self.library.storage(of: service),
                    words.first ?? "",
                    account,
                    load
                )
            }
        case .files(let settings):
            let storage = FileStorage(folder: settings.path, name: source.name)
            return try self.stored(source, storage, settings.path, account, load)
        case .webDAV(let settings):
            let service = WebDAV(
                name: source.name,
                base: settings.url.url,
                authorizer: try self.authorizer(settings),
                client: self.library.serviceClient
            )
            let storage = self.library.storage(of: service)
            return try self.stored(source, storage, settings.url.url.display, account, load)
        case .yandexWebDAV(let settings):
            let base = try settings.url?.url ?? OriginURL(WebDAV.yandex)
            let (authorizer, scope) = try self.yandexAuthorizer(settings)
            let service = WebDAV(
                name: source.name,
                base: base,
                authorizer: authorizer,
                client: self.library.serviceClient
            )
            let storage = self.library.storage(of: service)
            return try self.stored(source, storage, base.display, scope ?? account, load)
        case .yandexDisk(let settings):
            let (service, scope) = try self.yandexDisk(source.name, settings)
            let storage = self.library.storage(of: service)
            return try self.stored(source, storage, service.authority, scope ?? account, load)
        }
    }

    private func stored(
        _ source: ConfiguredSource,
        _ storage: any MediaStorage,
        _ display: String,
        _ account: String?,
        _ load: LoadPolicy
    ) throws -> StorageSource {
        StorageSource(
            name: source.name,
            display: display,
            storage: storage,
            account: account,
            load: load,
            decryption: try self.decryption(source)
        )
    }

    /// What the command line says of decryption, or else the configuration, whose key is read now.
    private func decryption(_ source: ConfiguredSource) throws -> Decryption? {
        if let decryption = self.given.decryption { return decryption }
        guard let cipher = source.cipher, let keys = self.given.keys else { return nil }
        return try cipher.decryption(keys)
    }
}
