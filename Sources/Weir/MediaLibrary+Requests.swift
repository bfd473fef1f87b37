// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import WeirCache
public import WeirCipher
import WeirClouds
import WeirHTTP
public import WeirLoader
public import WeirSource

extension MediaLibrary {
    /// A medium by its URL: the same object for the same resource, so that all its readers share
    /// one download.
    ///
    ///     let song = library.media(url, headers: ["Authorization": "OAuth \(token)"])
    ///
    /// The call sends no request and throws no error. For an invalid URL or header, the medium's
    /// first `describe` or `read` throws ``/WeirSource/SourceError`` with `invalidRequest`.
    ///
    /// - Parameters:
    ///   - url: an `http` or `https` URL, or the URL of a file on this machine.
    ///   - headers: the headers for the origin, by field name; never stored.
    ///   - account: the account that the bytes belong to; see ``MediaRequest/account``.
    /// - Returns: the medium, made now or before.
    public func media(_ url: URL, headers: [String: String] = [:], account: String? = nil) -> Media
    {
        self.media(MediaRequest(url: url, headers: headers, account: account))
    }

    /// A medium by a request, which has more settings than a URL; otherwise as
    /// ``media(_:headers:account:)``.
    ///
    /// Two requests mean the same medium if their URL, headers, account and decryption are the
    /// same. The policy and the validator of the first request then apply to both.
    ///
    /// - Parameter request: the URL, and the settings of the medium.
    /// - Returns: the medium, made now or before.
    public func media(_ request: MediaRequest) -> Media {
        if request.url.isFileURL { return self.file(request) }
        do throws(SourceError) {
            let url = try OriginURL(request.url.absoluteString)
            return self.media(
                url,
                headers: try HTTPHeaderList(request.headers),
                account: request.account,
                load: self.load(prefetching: request.prefetch),
                volatileQuery: request.volatileQuery,
                validator: request.validator,
                decryption: request.decryption
            )
        } catch {
            return self.refused(request.url.absoluteString, error)
        }
    }

    /// A medium over a source of the application's own; the cache stores it like any other.
    ///
    ///     let song = library.media(BoxSource(path), identifiedBy: "box:\(path)")
    ///
    /// - Parameters:
    ///   - source: provides missing bytes. If the source names a validator, the bytes are kept
    ///     across restarts.
    ///   - identity: identifies the resource in the library, across restarts; not a credential.
    ///   - account: the account that the bytes belong to; two accounts share nothing.
    ///   - prefetch: which bytes are fetched without a reader; `nil`: as the library's policy says.
    ///   - decryption: how the bytes are decrypted; `nil`: they are plain.
    /// - Returns: the medium; for the same identity and account the same object, over the first
    ///   source.
    public func media(
        _ source: any ByteSource,
        identifiedBy identity: String,
        account: String? = nil,
        prefetch: PrefetchPolicy? = nil,
        decryption: Decryption? = nil
    ) -> Media {
        self.media(
            MediaIdentity(
                key: ResourceKey(
                    location: "source:\(identity)",
                    account: account ?? "",
                    display: identity
                ),
                headers: HTTPHeaderList(),
                decryption: decryption?.identity
            ),
            load: self.policy(self.load(prefetching: prefetch), hasCredential: account != nil),
            decryption: decryption
        ) {
            source
        }
    }

    /// The library's policy with another `prefetch`; `nil` if the request does not set one.
    func load(prefetching prefetch: PrefetchPolicy?) -> LoadPolicy? {
        prefetch.map { prefetch in
            var policy = self.configuration.load
            policy.prefetch = prefetch
            return policy
        }
    }

    /// A file of this machine, which is read in place.
    private func file(_ request: MediaRequest) -> Media {
        let path = LocalPath(request.url)
        return self.unkept(
            MediaIdentity(
                key: ResourceKey(location: "file:\(path.bytes)", account: "", display: path.text),
                headers: HTTPHeaderList(),
                decryption: request.decryption?.identity
            ),
            decryption: request.decryption,
            source: FileSource(path: path, display: path.text)
        )
    }

    /// A medium for an unusable request; its readers get the error.
    ///
    /// - Parameters:
    ///   - address: the requested URL; never part of a message, since it may contain a credential
    ///     anywhere.
    ///   - error: why the request cannot be used.
    /// - Returns: the medium.
    func refused(_ address: String, _ error: SourceError) -> Media {
        self.unkept(
            MediaIdentity(
                key: ResourceKey(
                    location: address,
                    account: "refused: \(error.message)",
                    display: "an unusable address"
                ),
                headers: HTTPHeaderList(),
                decryption: nil
            ),
            decryption: nil,
            source: FailingSource { _ in error }
        )
    }

    /// A service as a storage of this library.
    ///
    ///     let disk = library.storage(.yandexDisk(token: token))
    ///
    /// The call sends no request and throws no error. For an invalid URL, the first listing or
    /// reading throws ``/WeirSource/SourceError`` with `invalidRequest`.
    ///
    /// - Parameter service: the service, and the credential of its user.
    /// - Returns: a storage that lives as long as the caller or one of its media holds it.
    public func storage(_ service: StorageService) -> LibraryStorage {
        self.storage(service, account: nil)
    }

    /// A service as a storage whose files belong to an account, unless a call names another
    /// account.
    func storage(_ service: StorageService, account: String?) -> LibraryStorage {
        do throws(SourceError) {
            return LibraryStorage(self, .success(try service.storage(self)), account)
        } catch {
            return LibraryStorage(self, .failure(error), account)
        }
    }
}

extension LocalPath {
    /// The path of a file URL.
    init(_ url: URL) {
        self = url.withUnsafeFileSystemRepresentation { start in
            guard let start else { return LocalPath(bytes: []) }
            return LocalPath(
                bytes: UnsafeRawBufferPointer(start: start, count: strlen(start)).map(\.self)
            )
        }
    }
}
