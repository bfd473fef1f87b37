// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Dispatch
import Foundation
import WeirSource

/// What AVFoundation asks for the bytes of one asset; lives as long as the asset.
///
/// Every method is called on the queue of the loader, which is the loader's executor.
final class MediaResourceLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    let loader: AssetLoader
    private let address: MediaAddress

    init(_ loader: AssetLoader, address: MediaAddress) {
        self.loader = loader
        self.address = address
    }

    deinit {
        MediaRegistry.shared.remove(self.address)
        // The asset has gone, on whatever thread. The closure keeps the loader until it has ended all its readings.
        self.loader.queue.queue.async { [loader] in loader.assumeIsolated { $0.close() } }
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        self.add(loadingRequest)
    }

    /// A renewal is answered as a request is: what is behind the address never ends.
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool {
        self.add(renewalRequest)
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        // Two requests may ask for the same bytes of the same URL: only the object tells which one it is.
        let identity = ObjectIdentifier(loadingRequest)
        // Called on the loader's queue; anywhere else this traps.
        self.loader.assumeIsolated { loader in
            loader.cancel { ($0 as? PlayerLoadingRequest)?.identity == identity }
        }
    }

    private func add(_ loadingRequest: AVAssetResourceLoadingRequest) -> Bool {
        guard let url = loadingRequest.request.url,
            MediaRegistry.shared.loader(of: url.absoluteString) === self.loader
        else { return false }
        let request = PlayerLoadingRequest(loadingRequest)
        // Called on the loader's queue; anywhere else this traps.
        self.loader.assumeIsolated { $0.add(request) }
        return true
    }
}

/// A loading request of AVFoundation.
///
/// It keeps the request alive until it has ended, as AVFoundation wants it to be kept.
// Unchecked: the request is used on the queue that was given to `setDelegate(_:queue:)` and nowhere else; AVFoundation
// makes it there, and the loader answers it there: the queue is its executor.
final class PlayerLoadingRequest: PlayerRequest, @unchecked Sendable {
    private let request: AVAssetResourceLoadingRequest
    private var isInformed = false

    init(_ request: AVAssetResourceLoadingRequest) {
        self.request = request
    }

    /// Which request it is, for as long as it has not ended.
    var identity: ObjectIdentifier { ObjectIdentifier(self.request) }

    /// Whether AVFoundation still takes an answer; it marks a request as cancelled before it tells its delegate.
    private var isOpen: Bool { !self.request.isCancelled && !self.request.isFinished }

    func described(as id: LoadingRequestServer.RequestID) -> LoadingRequestServer.Request {
        let information = self.request.contentInformationRequest
        return LoadingRequestServer.Request(
            id: id,
            wantsInformation: information != nil,
            allowedTypes: information?.allowedContentTypes,
            bytes: self.request.dataRequest.map { data in
                LoadingRequestServer.Request.Bytes(
                    offset: data.requestedOffset,
                    length: data.requestedLength == .max ? .max : Int64(data.requestedLength),
                    toTheEnd: data.requestsAllDataToEndOfResource
                )
            }
        )
    }

    func fill(_ information: ContentInformation) {
        self.isInformed = true
        guard self.isOpen, let request = self.request.contentInformationRequest else { return }
        request.contentType = information.type?.identifier
        if let length = information.length { request.contentLength = length }
        // Of any source, also of one that does not tell its length: media without ranges may not be loaded at all.
        request.isByteRangeAccessSupported = true
        request.isEntireLengthAvailableOnDemand = information.isEntirelyAvailable
    }

    /// Hands over a copy of the bytes, which AVFoundation keeps for as long as it likes: memory that an origin or a
    /// cipher may use again must not be what it keeps.
    func respond(with bytes: ByteMemory, released: @escaping @Sendable () -> Void) {
        guard self.isOpen, let dataRequest = self.request.dataRequest else { return released() }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        guard let start = copy.baseAddress else { return }
        bytes.withUnsafeBytes { copy.copyMemory(from: $0) }
        let data = Data(
            bytesNoCopy: start,
            count: bytes.count,
            deallocator: .custom { start, _ in
                start.deallocate()
                released()
            }
        )
        dataRequest.respond(with: data)
    }

    func finish() {
        if self.isOpen { self.request.finishLoading() }
    }

    func finish(with failure: LoadingFailure) {
        guard self.isOpen else { return }
        // A player that waits to hear what the resource is would otherwise wait on (rdar 13987417, as WebKit has it). Where
        // types are named, one that is not among them may be an exception.
        if !self.isInformed, let information = self.request.contentInformationRequest,
            information.allowedContentTypes?.isEmpty != false
        {
            information.contentType = ""
        }
        self.request.finishLoading(with: NSError(failure))
    }
}

extension NSError {
    /// A failure in a public domain, with the error of the source underneath.
    convenience init(_ failure: LoadingFailure) {
        let bridged = failure.bridged
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: bridged.message,
            NSDebugDescriptionErrorKey: bridged.debugDescription,
        ]
        if case .source(let error) = failure { userInfo[NSUnderlyingErrorKey] = error as NSError }
        self.init(domain: bridged.domain, code: bridged.code, userInfo: userInfo)
    }
}
#endif
