// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirSource

/// A source of the configuration; `NAME:PATH` refers to it by its name.
struct ConfiguredSource: Hashable, Sendable {
    /// The name: letters, digits, `-` and `_`.
    let name: String
    /// The service and its settings.
    let kind: SourceKind
    /// The owner of the bytes: an account of a service with accounts, or else a label.
    let account: String?
    let isImmutable: Bool
    /// Parameters of a URL's query that may change while the resource stays the same.
    let volatileQuery: Set<String>
    /// The request limit of its server, in requests a second; 1 or more.
    var requestsPerSecond: Int?
    /// The rule that compares two versions of a file; `nil` for the general rule.
    var validator: ValidatorPolicy?
    /// The decryption of its files; `nil` if they are not encrypted.
    let cipher: CipherSettings?
    /// Its position as `FILE:LINE:COLUMN`, for later errors.
    let location: String

    /// Whether a text can be a source's name.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether a name has another meaning.
    ///
    /// `origin`, `origin2` and so on are unnamed origins in URLs. The other reserved names are
    /// schemes of URLs.
    static func isReserved(_ name: String) -> Bool {
        ["http", "https", "file"].contains(name.lowercased())
            || name.hasPrefix("origin") && name.dropFirst("origin".count).allSatisfy(\.isNumber)
    }
}

/// Secrets from the environment.
extension ConfiguredSource {
    /// The names of the variables with the source's credentials and keys.
    var secretVariables: [String] {
        var names: [String] = []
        func add(_ secret: SecretReference) {
            if case .environment(let name) = secret { names.append(name) }
        }
        func add(_ credential: ServiceCredential) {
            switch credential {
            case .account: return
            case .token(let secret), .password(_, let secret): add(secret)
            }
        }
        switch self.kind {
        case .http(_, _, let headers): names += headers.map(\.variable)
        case .webDAV(_, let credential?, _): add(credential)
        case .yandexWebDAV(let credential, _, _): add(credential)
        case .yandexDisk(let disk):
            if case .token(let secret) = disk.access { add(secret) }
        case .s3(let settings):
            if case .key(_, let secret) = settings.access { add(secret) }
        case .webDAV(_, nil, _), .files: break
        }
        if case .environment(let name)? = self.cipher?.key { names.append(name) }
        return names
    }
}

/// The service of a source of the configuration.
enum SourceKind: Hashable, Sendable {
    case yandexDisk(YandexDiskSettings)
    /// With `service = "yandex-webdav"`.
    ///
    /// `url` is the address of the service, and `oauth` is the address of its log-in; `nil` for the
    /// usual address. `oauth` has no slash at its end.
    case yandexWebDAV(ServiceCredential, url: OriginURL?, oauth: String?)
    /// With `service = "webdav"`: any WebDAV server.
    ///
    /// The values are the folder for `NAME:/`, the credential if there is one, and the scheme that
    /// sends a password.
    case webDAV(OriginURL, ServiceCredential?, PasswordAuthorizer.Scheme)
    /// With `service = "http"`: a folder of a web server, or a program that prints URLs.
    ///
    /// Every request sends these headers. The second list has its values from the environment.
    case http(Address, HTTPHeaderList, [EnvironmentHeader])
    /// With `service = "files"`: the absolute path of a folder on this computer.
    case files(path: String)
    /// With `service = "s3"`: a bucket.
    case s3(S3Settings)

    /// The address of a source with `service = "http"`.
    enum Address: Hashable, Sendable {
        /// A folder or a resource.
        case url(OriginURL)
        /// A program that prints a URL.
        ///
        /// `{}` in a word stands for the PATH. The URL is valid for `life`; `nil` means until it
        /// fails.
        case command([String], life: TimeSpan?)
    }

    /// Whether headers of the command line are sent to the source.
    var takesHeaders: Bool {
        if case .http = self { true } else { false }
    }

    /// The name of the server or of a parent domain.
    ///
    /// The result is `nil` for a program and for a folder on this computer, or if the URL has no
    /// known host.
    var host: String? {
        switch self {
        case .yandexDisk(let disk): Self.host(disk.api.map(OriginURL.withPath) ?? YandexDisk.api)
        case .yandexWebDAV(_, let address, _): address?.host ?? Self.host(WebDAV.yandex)
        case .webDAV(let address, _, _): address.host
        case .http(.url(let address), _, _): address.host
        case .s3(let bucket): bucket.endpoint?.host ?? "amazonaws.com"
        case .http(.command, _, _), .files: nil
        }
    }

    private static func host(_ url: String) -> String? { (try? OriginURL(url))?.host }

    /// The values of `service =`.
    static let services = ["yandex-disk", "yandex-webdav", "webdav", "s3", "http", "files"]
}

/// A source with `service = "yandex-disk"`: the REST interface.
struct YandexDiskSettings: Hashable, Sendable {
    /// The credential for reading.
    enum Access: Hashable, Sendable {
        /// An account of `weir login yandex`; `nil` for the only one.
        case account(String?)
        /// The user's own token.
        case token(SecretReference)
        /// A public link, which needs no account.
        case publicLink(String)
    }

    var access: Access
    /// The folder for `NAME:/`, starting with a slash; `nil` for the whole disk.
    var root: String?
    /// The address of the service, if not the usual one; no slash at its end.
    var api: String?
    /// The address of its log-in, if not the usual one; no slash at its end.
    var oauth: String?
}

/// A source with `service = "s3"`: a bucket of S3 or of a compatible store.
struct S3Settings: Hashable, Sendable {
    /// The key for reading.
    enum Access: Hashable, Sendable {
        /// No key: the bucket is public.
        case anonymous
        /// The key that Amazon's tools would find; with `profile`, in this section of their file.
        case found(profile: String?)
        /// An access key and its secret.
        case key(String, SecretReference)
    }

    var bucket: String
    var access: Access
    var region: String?
    /// The address of the store, if it is not Amazon's.
    var endpoint: OriginURL?
    /// Whether the bucket's name is in the path.
    ///
    /// `nil` puts it into the path, except at Amazon if the name has no dot.
    var isInPath: Bool?
    /// The folder for `NAME:/`, starting with a slash; `nil` for the whole bucket.
    var root: String?
}

/// The object store behind the caches, which a fleet of machines shares.
struct ConfiguredTier: Hashable, Sendable {
    /// The bucket of the store.
    var bucket: S3Settings
    /// The secret that the machines share.
    var secret: SecretReference
    /// The largest upload rate, in bytes a second.
    var uploadRate: ByteSize?
}

/// The credential of a WebDAV server.
enum ServiceCredential: Hashable, Sendable {
    /// An account of `weir login`; `nil` for the only one.
    case account(String?)
    /// A token, sent in the service's form.
    case token(SecretReference)
    /// A user and a password, which may be an application password.
    case password(user: String, SecretReference)
}
