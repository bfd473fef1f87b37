// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

extension SourceMaker {
    /// The disk, and whose bytes it has.
    func yandexDisk(_ name: String, _ settings: YandexDiskSettings) throws
        -> (service: YandexDisk, account: String?)
    {
        let root = try FolderPath(settings.root ?? "/")
        let api = try OriginURL(settings.api.map(Self.withPath) ?? YandexDisk.api)
        let client = self.library.serviceClient
        switch settings.access {
        case .publicLink(let key):
            return (
                YandexDisk(name: name, publicKey: key, root: root, api: api, client: client), nil
            )
        case .token(let reference):
            let token = try reference.value(self.surroundings)
            return (
                YandexDisk(
                    name: name,
                    credentials: FixedCredential(token: token),
                    root: root,
                    api: api,
                    client: client
                ), nil
            )
        case .account(let account):
            let credential = try self.yandexCredential(
                self.given.account ?? account,
                oauth: settings.oauth
            )
            return (
                YandexDisk(
                    name: name,
                    credentials: credential,
                    root: root,
                    api: api,
                    client: client
                ), credential.account.description
            )
        }
    }

    /// What proves who asks Yandex.Disk's WebDAV server, and whose bytes it has.
    func yandexAuthorizer(_ settings: YandexWebDAVSettings) throws
        -> (authorizer: any RequestAuthorizer, account: String?)
    {
        switch settings.credential {
        case .account(let account):
            let credential = try self.yandexCredential(
                self.given.account ?? account,
                oauth: settings.oauth
            )
            return (
                TokenAuthorizer(scheme: "OAuth", provider: credential),
                credential.account.description
            )
        case .token(let reference):
            let token = try reference.value(self.surroundings)
            return (
                TokenAuthorizer(scheme: "OAuth", provider: FixedCredential(token: token)), nil
            )
        case .password(let user, let reference):
            let password = try reference.value(self.surroundings)
            return (
                PasswordAuthorizer(user: user, password: password, scheme: .basic), "user:\(user)"
            )
        }
    }

    /// What proves who asks a WebDAV server; `nil` where nothing need be proven.
    func authorizer(_ settings: WebDAVSettings) throws -> (any RequestAuthorizer)? {
        switch settings.credential {
        case nil: return nil
        case .account(let name):
            throw CommandError(
                .usage,
                "A WebDAV server has no account '\(name ?? "")' of weir login; give user and password-env, or token-env."
            )
        case .token(let reference):
            let token = try reference.value(self.surroundings)
            return TokenAuthorizer(scheme: "Bearer", provider: FixedCredential(token: token))
        case .password(let user, let reference):
            let scheme: PasswordAuthorizer.Scheme =
                switch settings.authentication {
                case .basic: .basic
                case .digest: .digest
                case .bearer, nil: .any
                }
            return PasswordAuthorizer(
                user: user,
                password: try reference.value(self.surroundings),
                scheme: scheme
            )
        }
    }

    private func yandexCredential(_ name: String?, oauth: String?) throws -> OAuthCredential {
        let store = FileTokenStore(directory: self.surroundings.configurationDirectory)
        return OAuthCredential(
            account: try store.account(named: name, of: "yandex"),
            store: store,
            client: OAuthClient(
                endpoint: try YandexLogIn(oauth).tokens,
                client: self.library.serviceClient
            ),
            observer: self.library.serviceObserver
        )
    }

    /// An address as a URL, which has a path.
    private static func withPath(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return address }
        return address[start...].contains("/") ? address : "\(address)/"
    }
}
