// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing

// Sendable: the settings are constants, and all other properties are used on `queue` only.

/// Answers correctly from an array, in portions; each portion is a separate block on the delegate's queue.
final class ArrayDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    static let onQueue = DispatchSpecificKey<Bool>()

    let queue = DispatchQueue(label: "array delegate")
    private let bytes: Data
    private let portion: Int
    private let type: String
    private let said: @Sendable (AVAssetResourceLoadingContentInformationRequest) -> Void
    private var cancelled: Set<ObjectIdentifier> = []

    /// A delegate.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that it answers from.
    ///   - portion: The largest number of bytes in one response.
    ///   - type: The content type that it declares.
    ///   - said: Fills in more of the content information.
    init(
        _ bytes: Data,
        portion: Int = 1_000,
        type: AVFileType = .mp4,
        said: @escaping @Sendable (AVAssetResourceLoadingContentInformationRequest) -> Void = { _ in
        }
    ) {
        self.bytes = bytes
        self.portion = portion
        self.type = type.rawValue
        self.said = said
        super.init()
        queue.setSpecific(key: Self.onQueue, value: true)
    }

    /// An asset whose delegate this is; the asset keeps the delegate alive.
    func asset(_ url: String = "weir-stub://film/index.mp4") throws -> AVURLAsset {
        let asset = AVURLAsset(url: try #require(URL(string: url)))
        asset.resourceLoader.setDelegate(self, queue: queue)
        objc_setAssociatedObject(asset, StubKey.delegate, self, .OBJC_ASSOCIATION_RETAIN)
        return asset
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        if let information = loadingRequest.contentInformationRequest {
            information.contentType = type
            information.contentLength = Int64(bytes.count)
            information.isByteRangeAccessSupported = true
            said(information)
        }
        deliver(loadingRequest)
        return true
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        cancelled.insert(ObjectIdentifier(loadingRequest))
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool {
        self.resourceLoader(
            resourceLoader,
            shouldWaitForLoadingOfRequestedResource: renewalRequest
        )
    }

    private func deliver(_ request: AVAssetResourceLoadingRequest) {
        queue.async { [self] in
            guard cancelled.remove(ObjectIdentifier(request)) == nil,
                let data = request.dataRequest
            else { return }
            let wanted =
                data.requestsAllDataToEndOfResource
                ? bytes.count
                : min(bytes.count, Int(data.requestedOffset) + data.requestedLength)
            let start = Int(data.currentOffset)
            let end = min(start + portion, wanted)
            if start < end { data.respond(with: bytes[start..<end]) }
            guard end >= wanted else { return deliver(request) }
            request.finishLoading()
        }
    }
}

// Sendable: all mutable state is behind `lock`; continuations are resumed outside the lock.

/// Takes every request, and lets the test answer it.
final class HandDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "hand delegate")
    private let lock = NSLock()
    private let accepts: Bool
    private var requests: [AVAssetResourceLoadingRequest] = []
    private var cancellations: [(request: AVAssetResourceLoadingRequest, saidSo: Bool)] = []
    private var requestReaders: [CheckedContinuation<AVAssetResourceLoadingRequest, Never>] = []
    private var cancellationReaders: [CheckedContinuation<Bool, Never>] = []

    /// A delegate.
    ///
    /// - Parameter accepts: Whether the delegate accepts requests.
    init(accepts: Bool = true) {
        self.accepts = accepts
        super.init()
    }

    /// An asset whose delegate this is; nothing else retains the delegate.
    func asset(_ url: String = "weir-stub://film/index.mp4") throws -> AVURLAsset {
        let asset = AVURLAsset(url: try #require(URL(string: url)))
        asset.resourceLoader.setDelegate(self, queue: queue)
        return asset
    }

    /// The next request.
    func next() async -> AVAssetResourceLoadingRequest {
        await withCheckedContinuation { continuation in
            let request = lock.withLock { () -> AVAssetResourceLoadingRequest? in
                guard requests.isEmpty else { return requests.removeFirst() }
                requestReaders.append(continuation)
                return nil
            }
            if let request { continuation.resume(returning: request) }
        }
    }

    /// Waits for the next cancellation.
    ///
    /// - Returns: Whether the request's `isCancelled` was true by then.
    func nextCancellation() async -> Bool {
        await withCheckedContinuation { continuation in
            let saidSo = lock.withLock { () -> Bool? in
                guard cancellations.isEmpty else { return cancellations.removeFirst().saidSo }
                cancellationReaders.append(continuation)
                return nil
            }
            if let saidSo { continuation.resume(returning: saidSo) }
        }
    }

    /// How many cancellations no test has waited for.
    var cancellationCount: Int { lock.withLock { cancellations.count } }

    /// Answers the probe as a correct delegate does.
    func answerProbe(length: Int, type: AVFileType = .mp4) async {
        let probe = await next()
        probe.contentInformationRequest?.contentType = type.rawValue
        probe.contentInformationRequest?.contentLength = Int64(length)
        probe.contentInformationRequest?.isByteRangeAccessSupported = true
        probe.dataRequest?.respond(with: Data(count: 2))
        probe.finishLoading()
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
        typealias Reader = CheckedContinuation<AVAssetResourceLoadingRequest, Never>
        let reader = lock.withLock { () -> Reader? in
            guard requestReaders.isEmpty else { return requestReaders.removeFirst() }
            requests.append(loadingRequest)
            return nil
        }
        reader?.resume(returning: loadingRequest)
        return accepts
    }

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        let saidSo = loadingRequest.isCancelled
        let reader = lock.withLock { () -> CheckedContinuation<Bool, Never>? in
            guard cancellationReaders.isEmpty else { return cancellationReaders.removeFirst() }
            cancellations.append((loadingRequest, saidSo))
            return nil
        }
        reader?.resume(returning: saidSo)
    }
}

/// Keys of associations.
enum StubKey {
    // Never read and never written: the pointer's address is the key.
    nonisolated(unsafe) static let delegate = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    )
}
#endif
