// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Dispatch
import Foundation
import WeirSource

/// The delegate that AVFoundation asks for the bytes of one asset; lives as long as the asset.
///
/// AVFoundation calls every method on the queue of the loader, which is the loader's executor.
final class MediaResourceLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    let loader: AssetLoader
    private let address: MediaAddress

    init(_ loader: AssetLoader, address: MediaAddress) {
        self.loader = loader
        self.address = address
    }

    deinit {
        MediaRegistry.shared.remove(self.address)
        // The asset is deallocated, on any thread. The closure keeps the loader until it has ended all its
        // readings.
        self.loader.queue.queue.async { [loader] in loader.assumeIsolated { $0.close() } }
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        self.add(loadingRequest)
    }

    /// Answers a renewal like a request, because the resource of an address never expires.
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
        // Two requests may be for the same bytes of the same URL: only the object identifies the request.
        let identity = ObjectIdentifier(loadingRequest)
        // Called on the loader's queue; on any other queue this call traps.
        self.loader.assumeIsolated { loader in
            loader.cancel { ($0 as? PlayerLoadingRequest)?.identity == identity }
        }
    }

    private func add(_ loadingRequest: AVAssetResourceLoadingRequest) -> Bool {
        guard let url = loadingRequest.request.url,
            MediaRegistry.shared.loader(of: url.absoluteString) === self.loader
        else { return false }
        let request = PlayerLoadingRequest(loadingRequest)
        // Called on the loader's queue; on any other queue this call traps.
        self.loader.assumeIsolated { $0.add(request) }
        return true
    }
}

/// A loading request of AVFoundation.
///
/// It keeps the request alive until the request has ended, as AVFoundation requires.
// Unchecked: the request is used only on the queue that `setDelegate(_:queue:)` got. AVFoundation makes it on that
// queue, and the loader, whose executor the queue is, answers it on the same queue.
final class PlayerLoadingRequest: PlayerRequest, @unchecked Sendable {
    private let request: AVAssetResourceLoadingRequest
    private var isInformed = false

    init(_ request: AVAssetResourceLoadingRequest) {
        self.request = request
    }

    /// The identity of the request, valid until it has ended.
    var identity: ObjectIdentifier { ObjectIdentifier(self.request) }

    /// Whether AVFoundation still accepts data; it marks a request as cancelled before it calls its delegate.
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
        // Set for every source, even one of unknown length: AVFoundation may refuse media without ranges.
        request.isByteRangeAccessSupported = true
        request.isEntireLengthAvailableOnDemand = information.isEntirelyAvailable
    }

    /// Delivers a copy of the bytes, which AVFoundation keeps as long as it needs.
    ///
    /// AVFoundation must not keep memory that an origin or a cipher may use again.
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
        // Without a content type, a player that waits for the information would go on waiting (rdar 13987417,
        // according to WebKit). If the request names allowed types, another type may raise an exception.
        if !self.isInformed, let information = self.request.contentInformationRequest,
            information.allowedContentTypes?.isEmpty != false
        {
            information.contentType = ""
        }
        self.request.finishLoading(with: NSError(failure))
    }
}

extension NSError {
    /// A failure in a public domain, with the source's error as the underlying error.
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
