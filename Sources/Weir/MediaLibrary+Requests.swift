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
    /// A medium by its address: the same object for the same resource, so that all its readers share one download.
    ///
    ///     let song = library.media(url, headers: ["Authorization": "OAuth \(token)"])
    ///
    /// Nothing is asked of the origin yet, and nothing is refused: of an address or a header that cannot be used, the
    /// medium's first `describe` or `read` throws ``/WeirSource/SourceError`` with `invalidRequest`.
    ///
    /// - Parameters:
    ///   - url: an `http` or `https` address, or that of a file on this machine.
    ///   - headers: what the origin is told, by the field's name; never stored.
    ///   - account: whose bytes these are; see ``MediaRequest/account``.
    /// - Returns: the medium, made now or before.
    public func media(_ url: URL, headers: [String: String] = [:], account: String? = nil) -> Media
    {
        self.media(MediaRequest(url: url, headers: headers, account: account))
    }

    /// A medium by a request, which can say more than an address; as ``media(_:headers:account:)``.
    ///
    /// Two requests mean the same medium when their address, headers, account and decryption are the same; what the
    /// first one keeps, and its validator, holds for both.
    ///
    /// - Parameter request: the address, and everything that belongs to it.
    /// - Returns: the medium, made now or before.
    public func media(_ request: MediaRequest) -> Media {
        if request.url.isFileURL { return self.file(request) }
        do throws(SourceError) {
            let url = try OriginURL(request.url.absoluteString)
            return self.media(
                url,
                headers: try HTTPHeaderList(request.headers),
                account: request.account,
                load: self.load(keeping: request.keep),
                volatileQuery: request.volatileQuery,
                validator: request.validator,
                decryption: request.decryption
            )
        } catch {
            return self.refused(request.url.absoluteString, error)
        }
    }

    /// A medium over a source of the application's own, kept like any other.
    ///
    ///     let song = library.media(BoxSource(path), identifiedBy: "box:\(path)")
    ///
    /// - Parameters:
    ///   - source: where missing bytes come from. Of a source that names a validator, bytes are kept over restarts.
    ///   - identity: what tells the resource from every other one of the library, today and later; no credential.
    ///   - account: whose bytes these are; two accounts share nothing.
    ///   - keep: what stays to be fetched; `nil`: as the library's policy says.
    ///   - decryption: how the bytes are decrypted; `nil`: they are plain.
    /// - Returns: the medium: the same object, over the source that came first, for the same identity and account.
    public func media(
        _ source: any ByteSource,
        identifiedBy identity: String,
        account: String? = nil,
        keep: KeepPolicy? = nil,
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
            load: self.policy(self.load(keeping: keep), hasCredential: account != nil),
            decryption: decryption
        ) {
            source
        }
    }

    /// The library's policy, which keeps what a request says; `nil` if it says nothing.
    func load(keeping keep: KeepPolicy?) -> LoadPolicy? {
        keep.map { keep in
            var policy = self.configuration.load
            policy.keep = keep
            return policy
        }
    }

    /// A file of this machine, which is read where it lies.
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

    /// A medium that no request can be sent for; its readers are told why.
    ///
    /// - Parameters:
    ///   - address: what was asked for; in no sentence, since a credential may stand anywhere in it.
    ///   - error: why it cannot be.
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
    /// Nothing is asked yet, and nothing is refused: of an address that cannot be used, the first listing or reading
    /// throws ``/WeirSource/SourceError`` with `invalidRequest`.
    ///
    /// - Parameter service: which service, and who asks.
    /// - Returns: a storage that lives as long as the caller or one of its media holds it.
    public func storage(_ service: StorageService) -> LibraryStorage {
        self.storage(service, account: nil)
    }

    /// The same, with the account whose media its files are, unless they are asked for with another one.
    func storage(_ service: StorageService, account: String?) -> LibraryStorage {
        do throws(SourceError) {
            return LibraryStorage(self, .success(try service.storage(self)), account)
        } catch {
            return LibraryStorage(self, .failure(error), account)
        }
    }
}

extension LocalPath {
    /// The path of a file's address.
    init(_ url: URL) {
        self = url.withUnsafeFileSystemRepresentation { start in
            guard let start else { return LocalPath(bytes: []) }
            return LocalPath(
                bytes: UnsafeRawBufferPointer(start: start, count: strlen(start)).map(\.self)
            )
        }
    }
}
