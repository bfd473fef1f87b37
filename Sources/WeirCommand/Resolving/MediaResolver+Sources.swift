// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirSource

extension MediaResolver {
    /// The location of a source of the configuration.
    ///
    /// - Throws: ``CommandError`` if a secret or an account is missing; `SourceError`.
    func source(_ settings: ConfiguredSource) throws -> MediaLocation {
        if !self.settings.headers.isEmpty, !settings.kind.takesHeaders {
            throw CommandError.usage(
                "--header is for URLs, and \(settings.name) is a source with a credential of its own; write that into"
                    + " \(self.configuration.file)."
            )
        }
        var headers = HTTPHeaderList()
        var account = self.settings.account ?? settings.account
        let validator = self.settings.validator ?? settings.validator
        let (place, display): (MediaLocation.Place, String)
        switch settings.kind {
        case .http(let address, let given, let variables):
            headers = try given.adding(variables, self.environment)
            for header in self.settings.headers.headers { headers.append(header) }
            switch address {
            case .url(let address):
                place = .webFolder(address)
                display = address.display
            case .command(let words, let life):
                let command = LinkCommand(
                    words: words,
                    lifetime: life?.duration,
                    headers: headers,
                    source: settings.name
                )
                let service = LinkService(
                    name: settings.name,
                    scope: headers.isEmpty
                        ? nil
                        : .credential(parts: headers.headers.flatMap { [$0.name, $0.value] })
                ) { try await command.link(to: $0) }
                place = .service(self.library.storage(of: service, validator: validator))
                display = words.first ?? ""
            }
        case .files(let path):
            place = .files(FileStorage(folder: path, name: settings.name), only: nil)
            display = path
        case .s3(let bucket):
            let service = try bucket.service(
                settings.name,
                self.environment,
                self.library.serviceClient
            )
            place = .service(self.library.storage(of: service))
            display = service.authority
        case .webDAV(let address, let credential, let scheme):
            let authorizer = try credential.map {
                try self.authorizer($0, token: "Bearer", password: scheme)
            }
            place = self.webDAV(settings.name, address, authorizer, validator)
            display = address.display
        case .yandexWebDAV(let credential, let address, let oauth):
            let base = try address ?? OriginURL(WebDAV.yandex)
            let authorizer: any RequestAuthorizer
            if case .account(let name) = credential {
                let credential = try self.yandexCredential(name, oauth: oauth)
                authorizer = TokenAuthorizer(scheme: "OAuth", provider: credential)
                account = credential.account.description
            } else {
                authorizer = try self.authorizer(credential, token: "OAuth", password: .basic)
            }
            place = self.webDAV(settings.name, base, authorizer, validator)
            display = base.display
        case .yandexDisk(let disk):
            let (service, scope) = try self.yandexDisk(settings.name, disk)
            place = .service(self.library.storage(of: service))
            (display, account) = (service.authority, scope ?? account)
        }
        var load = self.library.configuration.load
        load.isImmutable = load.isImmutable || settings.isImmutable
        // The user has configured this source, so ignore a `no-store`, which is meant for browsers.
        load.storesForbidden = true
        return MediaLocation(
            name: settings.name,
            placeDisplay: display,
            place: place,
            target: "/",
            headers: headers,
            account: account,
            load: load,
            volatileQuery: settings.volatileQuery,
            validator: validator,
            decryption: try self.decryption(settings),
            isEncrypted: self.settings.decryption != nil || settings.cipher != nil
        )
    }

    private func webDAV(
        _ name: String,
        _ base: OriginURL,
        _ authorizer: (any RequestAuthorizer)?,
        _ validator: ValidatorPolicy?
    ) -> MediaLocation.Place {
        let service = WebDAV(
            name: name,
            base: base,
            authorizer: authorizer,
            client: self.library.serviceClient
        )
        return .service(self.library.storage(of: service, validator: validator))
    }

    /// The decryption of the command line, or else of the configuration; reads the key now.
    private func decryption(_ source: ConfiguredSource) throws -> Decryption? {
        if let decryption = self.settings.decryption { return decryption }
        guard let cipher = source.cipher, let keys = self.settings.keys else { return nil }
        return try cipher.decryption(keys)
    }

    /// The disk, and the account that owns its bytes.
    private func yandexDisk(_ name: String, _ settings: YandexDiskSettings) throws
        -> (service: YandexDisk, account: String?)
    {
        let root = try FolderPath(settings.root ?? "/")
        let api = try OriginURL(settings.api.map(OriginURL.withPath) ?? YandexDisk.api)
        let client = self.library.serviceClient
        let credentials: any CredentialProvider
        var account: String?
        switch settings.access {
        case .publicLink(let key):
            let disk = YandexDisk(name: name, publicKey: key, root: root, api: api, client: client)
            return (disk, nil)
        case .token(let reference):
            credentials = try reference.credential(self.environment)
        case .account(let name):
            let credential = try self.yandexCredential(name, oauth: settings.oauth)
            (credentials, account) = (credential, credential.account.description)
        }
        let disk = YandexDisk(
            name: name,
            credentials: credentials,
            root: root,
            api: api,
            client: client
        )
        return (disk, account)
    }

    /// The authorizer for a WebDAV server, which sends a token or a password with these schemes.
    private func authorizer(
        _ credential: ServiceCredential,
        token tokenScheme: String,
        password passwordScheme: PasswordAuthorizer.Scheme
    ) throws -> any RequestAuthorizer {
        switch credential {
        case .account(let name):
            throw CommandError.usage(
                "A WebDAV server has no account '\(name ?? "")' of weir login; give user and password-env, or token-env."
            )
        case .token(let reference):
            let token = try reference.credential(self.environment)
            return TokenAuthorizer(scheme: tokenScheme, provider: token)
        case .password(let user, let reference):
            return PasswordAuthorizer(
                user: user,
                password: try reference.value(self.environment),
                scheme: passwordScheme,
                place: reference.place
            )
        }
    }

    private func yandexCredential(_ name: String?, oauth: String?) throws -> OAuthCredential {
        let store = FileTokenStore(directory: self.environment.configurationDirectory)
        return OAuthCredential(
            account: try store.account(named: self.settings.account ?? name, of: "yandex"),
            store: store,
            client: OAuthClient(
                endpoint: try YandexDisk.logIn(oauth).tokens,
                client: self.library.serviceClient
            )
        )
    }
}

extension S3Settings {
    /// The service for the bucket.
    ///
    /// - Throws: ``CommandError`` if its secret cannot be read.
    func service(
        _ name: String,
        _ environment: ProgramEnvironment,
        _ client: ServiceClient
    ) throws -> S3 {
        let keys: S3KeySource
        switch self.access {
        case .anonymous: keys = .anonymous
        case .key(let identifier, let secret):
            keys = .given(
                S3Keys(
                    identifier: identifier,
                    secret: try secret.value(environment),
                    place: secret.place
                )
            )
        case .found(let profile):
            keys = .found(
                S3KeyFinder(profile: profile, environment: { environment[$0] }, client: client)
            )
        }
        let region =
            self.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        return S3(
            name: name,
            bucket: S3.Bucket(
                name: self.bucket,
                region: region,
                endpoint: self.endpoint,
                isInPath: self.isInPath,
                root: String((self.root ?? "").drop { $0 == "/" })
            ),
            keys: keys,
            client: client
        )
    }
}
