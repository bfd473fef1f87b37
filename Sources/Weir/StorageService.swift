// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirClouds
public import WeirHTTP
import WeirSource

/// A service that a library can list and play from, with the user's credential.
///
///     let disk = library.storage(.yandexDisk(token: token))
///     for try await item in disk.list("/Music") { print(item.path) }
///
/// Its description shows no token and no password.
public struct StorageService: Sendable {
    /// Makes the storage over a library's transport.
    let storage: @Sendable (MediaLibrary) throws(SourceError) -> any MediaStorage

    private init(
        _ storage: @escaping @Sendable (MediaLibrary) throws(SourceError) -> any MediaStorage
    ) {
        self.storage = storage
    }

    /// Yandex.Disk with a token that does not change, as the user has copied it.
    ///
    /// - Parameters:
    ///   - token: the OAuth token, without a scheme before it.
    ///   - name: the name before a path in messages.
    /// - Returns: the service.
    public static func yandexDisk(token: String, name: String = "yandex") -> StorageService {
        .yandexDisk(credentials: FixedCredential(token: token), name: name)
    }

    /// Yandex.Disk with a token that its owner renews, such as an ``/WeirClouds/OAuthCredential``.
    ///
    /// - Parameters:
    ///   - credentials: has the account's token.
    ///   - name: the name before a path in messages.
    ///   - api: the address of the API; `nil`: Yandex's own.
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

    /// The file or folder of a public link of Yandex.Disk; it needs no account.
    ///
    /// - Parameters:
    ///   - publicLink: `https://disk.yandex.ru/d/…`.
    ///   - name: the name before a path in messages.
    ///   - api: the address of the API; `nil`: Yandex's own.
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
    ///   - folder: the URL of the folder that paths start from.
    ///   - user: the account's name; `nil`: the server needs no account.
    ///   - password: the account's password, or an app password.
    ///   - name: the name before a path in messages; `nil`: the URL.
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

    /// A bucket of Amazon S3, or of a store with the same protocol.
    ///
    /// - Parameters:
    ///   - bucket: the bucket's name.
    ///   - region: the bucket's region; `nil`: Weir asks Amazon for it, and uses `us-east-1` for
    ///     other stores.
    ///   - endpoint: the URL of a store other than Amazon's.
    ///   - accessKey: the key; `nil`: the bucket is public.
    ///   - secretKey: the key's secret.
    ///   - sessionToken: the token of a temporary key.
    ///   - name: the name before a path in messages; `nil`: the bucket's name.
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

    /// A folder of this machine; its files are read in place.
    ///
    /// - Parameters:
    ///   - url: the folder's URL.
    ///   - name: the name before a path in messages; `nil`: the folder's path.
    /// - Returns: the service.
    public static func folder(_ url: URL, name: String? = nil) -> StorageService {
        StorageService { _ in FileStorage(folder: LocalPath(url), name: name) }
    }

    /// A service that the application implements.
    ///
    /// - Parameter make: makes the service, with a client that sends its small requests over the
    ///   library's transport.
    /// - Returns: the service.
    public static func custom(
        _ make: @escaping @Sendable (_ client: ServiceClient) -> any CloudService
    ) -> StorageService {
        StorageService { library in library.storage(of: make(library.serviceClient)) }
    }
}
