// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirClouds
public import WeirHTTP
import WeirSource

/// A service that a library can list and play from: which one it is, and who asks.
///
///     let disk = library.storage(.yandexDisk(token: token))
///     for try await item in disk.list("/Music") { print(item.path) }
///
/// No text that is made of it shows a token or a password.
public struct StorageService: Sendable {
    /// Makes the storage over a library's transport.
    let storage: @Sendable (MediaLibrary) throws(SourceError) -> any MediaStorage

    private init(
        _ storage: @escaping @Sendable (MediaLibrary) throws(SourceError) -> any MediaStorage
    ) {
        self.storage = storage
    }

    /// A Yandex.Disk whose token never changes, as a user copies it.
    ///
    /// - Parameters:
    ///   - token: the OAuth token, without a scheme before it.
    ///   - name: what is shown before a path.
    /// - Returns: the service.
    public static func yandexDisk(token: String, name: String = "yandex") -> StorageService {
        .yandexDisk(credentials: FixedCredential(token: token), name: name)
    }

    /// A Yandex.Disk whose token is renewed by what has it, such as an ``/WeirClouds/OAuthCredential``.
    ///
    /// - Parameters:
    ///   - credentials: has the account's token.
    ///   - name: what is shown before a path.
    ///   - api: where the API answers; `nil`: at Yandex.
    /// - Returns: the service.
    public static func yandexDisk(
        credentials: any CredentialProvider,
        name: String = "yandex",
        api: URL? = nil
    ) -> StorageService {
        StorageService { library throws(SourceError) in
            library.storage(
                of: YandexDisk(
                    name: name,
                    credentials: credentials,
                    api: try OriginURL(api?.absoluteString ?? YandexDisk.api),
                    client: library.serviceClient
                )
            )
        }
    }

    /// What a public link of a Yandex.Disk leads to; it needs no account.
    ///
    /// - Parameters:
    ///   - publicLink: `https://disk.yandex.ru/d/…`.
    ///   - name: what is shown before a path.
    ///   - api: where the API answers; `nil`: at Yandex.
    /// - Returns: the service.
    public static func yandexDisk(publicLink: URL, name: String = "yandex", api: URL? = nil)
        -> StorageService
    {
        StorageService { library throws(SourceError) in
            library.storage(
                of: YandexDisk(
                    name: name,
                    publicKey: publicLink.absoluteString,
                    api: try OriginURL(api?.absoluteString ?? YandexDisk.api),
                    client: library.serviceClient
                )
            )
        }
    }

    /// A folder of a WebDAV server: Nextcloud, ownCloud, and others.
    ///
    /// - Parameters:
    ///   - folder: the address of the folder that paths start from.
    ///   - user: the account's name; `nil`: the server asks for none.
    ///   - password: the account's password, or one made for the app.
    ///   - name: what is shown before a path; `nil`: the address is.
    /// - Returns: the service.
    public static func webDAV(
        _ folder: URL,
        user: String? = nil,
        password: String = "",
        name: String? = nil
    ) -> StorageService {
        StorageService { library throws(SourceError) in
            library.storage(
                of: WebDAV(
                    name: name,
                    base: try OriginURL(folder.absoluteString),
                    authorizer: user.map {
                        PasswordAuthorizer(URLUserInfo(user: $0, password: password))
                    },
                    client: library.serviceClient
                )
            )
        }
    }

    /// A bucket of S3, or of a store that speaks as it does.
    ///
    /// - Parameters:
    ///   - bucket: its name.
    ///   - region: where it is; `nil`: Amazon is asked, and another store is taken to be in `us-east-1`.
    ///   - endpoint: the address of a store that is not Amazon's.
    ///   - accessKey: the key; `nil`: the bucket is public.
    ///   - secretKey: the key's secret.
    ///   - sessionToken: of a temporary key.
    ///   - name: what is shown before a path; `nil`: the bucket's name.
    /// - Returns: the service.
    public static func s3(
        bucket: String,
        region: String? = nil,
        endpoint: URL? = nil,
        accessKey: String? = nil,
        secretKey: String = "",
        sessionToken: String? = nil,
        name: String? = nil
    ) -> StorageService {
        StorageService { library throws(SourceError) in
            library.storage(
                of: S3(
                    name: name ?? bucket,
                    bucket: S3.Bucket(
                        name: bucket,
                        region: region,
                        endpoint: try endpoint.map { url throws(SourceError) in
                            try OriginURL(url.absoluteString)
                        }
                    ),
                    keys: accessKey.map {
                        .given(S3Keys(identifier: $0, secret: secretKey, token: sessionToken))
                    } ?? .anonymous,
                    client: library.serviceClient
                )
            )
        }
    }

    /// A folder of this machine; its files are played where they lie.
    ///
    /// - Parameters:
    ///   - url: the folder's address.
    ///   - name: what is shown before a path; `nil`: the folder's path is.
    /// - Returns: the service.
    public static func folder(_ url: URL, name: String? = nil) -> StorageService {
        StorageService { _ in FileStorage(folder: LocalPath(url), name: name) }
    }

    /// A service of another's making.
    ///
    /// - Parameter make: makes it, with a client that sends its small requests over the library's transport.
    /// - Returns: the service.
    public static func custom(
        _ make: @escaping @Sendable (_ client: ServiceClient) -> any CloudService
    ) -> StorageService {
        StorageService { library in library.storage(of: make(library.serviceClient)) }
    }
}
