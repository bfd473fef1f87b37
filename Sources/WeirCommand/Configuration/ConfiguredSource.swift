// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirSource

/// A source of the configuration, whose name `NAME:PATH` begins with.
struct ConfiguredSource: Hashable, Sendable {
    /// The name: letters, digits, `-` and `_`.
    let name: String
    /// The service, and how it is reached.
    let kind: SourceKind
    /// Whose bytes these are: an account of a service that has them, a label elsewhere.
    let account: String?
    let isImmutable: Bool
    /// Parts of a URL's query that change without the resource changing.
    let volatileQuery: Set<String>
    /// How many requests a second its server is sent; 1 or more.
    var requestsPerSecond: Int?
    /// What tells two versions of a file apart; `nil`: as for all.
    var validator: ValidatorPolicy?
    /// How its files are decrypted; `nil` where they are not encrypted.
    let cipher: CipherSettings?
    /// Where it is written, as `FILE:LINE:COLUMN`, for errors that show up later.
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

    /// Whether a name means something else already: `origin`, `origin2` … are unnamed origins in
    /// URLs, the others begin URLs.
    static func isReserved(_ name: String) -> Bool {
        ["http", "https", "file"].contains(name.lowercased())
            || name.hasPrefix("origin") && name.dropFirst("origin".count).allSatisfy(\.isNumber)
    }
}

/// Secrets that stand in the environment.
extension ConfiguredSource {
    /// The names of the variables that the source's credentials and keys are read from.
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
    /// With `service = "yandex-webdav"`. `url` and `oauth` say where the service and its log-in answer, if not where they
    /// always do; no slash at the end of the latter.
    case yandexWebDAV(ServiceCredential, url: WebAddress?, oauth: String?)
    /// With `service = "webdav"`: the folder that `NAME:/` stands for, at any server that speaks WebDAV, the credential if
    /// it asks for one, and how a password is sent.
    case webDAV(WebAddress, ServiceCredential?, PasswordAuthorizer.Scheme)
    /// With `service = "http"`: a folder of a web server, or a program that knows URLs, and the headers of every request,
    /// some with values of the environment.
    case http(Address, HTTPHeaderList, [EnvironmentHeader])
    /// With `service = "files"`: a folder of this computer, absolute.
    case files(path: String)
    /// With `service = "s3"`: a bucket.
    case s3(S3Settings)

    /// Where a source with `service = "http"` is.
    enum Address: Hashable, Sendable {
        /// A folder or a resource.
        case url(WebAddress)
        /// A program that prints a URL; `{}` in a word stands for the PATH. It holds `life`, `nil` for
        /// as long as it works.
        case command([String], life: TimeSpan?)
    }

    /// Whether headers of the command line are sent there.
    var takesHeaders: Bool {
        if case .http = self { true } else { false }
    }

    /// The name of the server that is asked, of which others may lie below; `nil` where it is not known before, or there is
    /// none.
    var host: String? {
        switch self {
        case .yandexDisk(let disk): Self.host(disk.api.map(WebAddress.withPath) ?? YandexDisk.api)
        case .yandexWebDAV(_, let address, _): address?.url.host ?? Self.host(WebDAV.yandex)
        case .webDAV(let address, _, _): address.url.host
        case .http(.url(let address), _, _): address.url.host
        case .s3(let bucket): bucket.endpoint?.url.host ?? "amazonaws.com"
        case .http(.command, _, _), .files: nil
        }
    }

    private static func host(_ url: String) -> String? { (try? OriginURL(url))?.host }

    /// The values of `service =`.
    static let services = ["yandex-disk", "yandex-webdav", "webdav", "s3", "http", "files"]
}

/// A source with `service = "yandex-disk"`: the REST interface.
struct YandexDiskSettings: Hashable, Sendable {
    /// The credential with which it is read.
    enum Access: Hashable, Sendable {
        /// An account of `weir login yandex`; `nil` for the only one.
        case account(String?)
        /// A token of one's own.
        case token(SecretReference)
        /// A public link, which needs no account.
        case publicLink(String)
    }

    var access: Access
    /// The folder that `NAME:/` stands for, starting with a slash; `nil` for all of the disk.
    var root: String?
    /// Where the service answers, if not where it always does; no slash at its end.
    var api: String?
    /// Where its log-in answers, if not where it always does; no slash at its end.
    var oauth: String?
}

/// A source with `service = "s3"`: a bucket of S3 or of a store that speaks as it does.
struct S3Settings: Hashable, Sendable {
    /// The key with which it is read.
    enum Access: Hashable, Sendable {
        /// None: the bucket is public.
        case anonymous
        /// The key that Amazon's own tools would take; of a section of their file, if one is named.
        case found(profile: String?)
        /// An access key and its secret.
        case key(String, SecretReference)
    }

    var bucket: String
    var access: Access
    var region: String?
    /// Where the store is, if it is not Amazon's.
    var endpoint: WebAddress?
    /// Whether the bucket's name stands in the path; `nil` as the store is Amazon's or not.
    var isInPath: Bool?
    /// The folder that `NAME:/` stands for, starting with a slash; `nil` for the whole bucket.
    var root: String?
}

/// The store that a fleet shares behind its caches.
struct ConfiguredTier: Hashable, Sendable {
    /// Where it is.
    var bucket: S3Settings
    /// What the machines share.
    var secret: SecretReference
    /// How much is written in a second at most.
    var uploadRate: ByteSize?
}

/// The credential of a WebDAV server.
enum ServiceCredential: Hashable, Sendable {
    /// An account of `weir login`; `nil` for the only one.
    case account(String?)
    /// A token, sent as the service wants it.
    case token(SecretReference)
    /// A user and a password, perhaps one for this application.
    case password(user: String, SecretReference)
}
